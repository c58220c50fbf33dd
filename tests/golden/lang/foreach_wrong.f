foreach n in 1,2 { run }
foreach $n on 1,2 { run }
foreach $n in { run }
foreach $n in 1,,2 { run }
foreach $n.mean in 1 { run }
foreach $n in 1,2 run
foreach $n in 1 {
  run 5
