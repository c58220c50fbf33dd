foreach $a in 1 {
foreach $b in 1 {
foreach $c in 1 {
set $x=1
