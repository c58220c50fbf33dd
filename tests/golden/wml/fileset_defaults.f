define fileset name=a,path=$dir,entries=5
define file name=b,path=$dir
define fileset name=c,path=$dir,dirwidth=4
create files
