foreach $n in 1,2,4k { run $n }
foreach $d in "/a","/b b", c,$e
{
  set $dir=$d
  foreach ${m} in true {
    echo "$d $m"
  }
}
