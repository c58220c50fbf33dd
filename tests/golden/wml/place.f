define fileset name=a,path=$dir,entries=1,dirwidth=4,reuse
define fileset name=b,path=$dir/./sub//deep/.,entries=1,dirwidth=4,reuse
define fileset name=c,path=$dir/sub,entries=1,dirwidth=4
define fileset name=d,path=/elsewhere,entries=1,dirwidth=4
define fileset name=e,path=/target,entries=1,dirwidth=4,reuse
define fileset name=g,path=/t/h,entries=1,dirwidth=4,reuse
create files
