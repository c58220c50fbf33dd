set $dir=/tmp
set $n=5
define fileset name=a,path=$dir,entries=$n
echo "two
lines"
run 60
