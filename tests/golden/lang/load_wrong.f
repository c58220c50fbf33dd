load nothing
load $dir/small
load
load circle
load broken
load deep
run 5
