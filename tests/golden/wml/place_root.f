define fileset name=a,path=/data/x,entries=1,dirwidth=4,reuse
define fileset name=b,path=$dir,entries=1,dirwidth=4,reuse
create files
