define fileset name=set$i,path=$dir/sub/$name.d,entries=5
define fileset name="set$i",path="$dir/with blanks/${name}d",entries=5
define fileset name=${a}${b}$(c),path=/data/$i,entries=5
set $x=$dir/data-$(HOSTNAME).$i
set $r=cvar(type=cvar-gamma,parameters=mean:$m;gamma:$g;$k:1)
define fileset name=$a:b,path=$host:$dir,entries=5
