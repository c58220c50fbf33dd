# '/' and '-' belong to a word that they touch, as they do in paths.
set $a=$b/2
set $a=$b-1
set $a=$dir/sub
set $a=$dir/$name
set $a=4/$b
set $a=100/4
set $a=2008-12-31
set $a="$b/2"
define fileset name=$b-1,path=$dir/1,entries=5
