define file name=a,path=$dir,size=2g
define fileset name=b,path=$dir,entries=5
define file name=c,path=$dir
create files
