define fileset name=a,path=/t/x,entries=1,dirwidth=4,reuse
define fileset name=b,path=$dir,entries=1,dirwidth=4,reuse
create files
