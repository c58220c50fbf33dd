foreach $a in 1,2,3,4,5,6,7,8,9,10 { foreach $b in 1,2,3,4,5,6,7,8,9,10 { foreach $c in 1,2,3,4,5,6,7,8,9,10 { foreach $d in 1,2,3,4,5,6,7,8,9,10 { echo "x" echo "y" } } } }
