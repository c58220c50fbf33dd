define fileset name=set$i,path=$dir/sub/$name.d,entries=5
define fileset name="set$i",path="$dir/with blanks/${name}d",entries=5
define fileset name=${a}${b}$(c),path=/data/$i,entries=5
set $x=$dir/data-$(HOSTNAME).$i
