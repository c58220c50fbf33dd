set $a=1
load small
load "small"
foreach $i in 1,2 {
  load small
  run $i
}
