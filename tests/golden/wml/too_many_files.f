# The command line leaves room for the names of one of them.
define fileset name=a,path=$dir,entries=50000,size=4k,dirwidth=100
define fileset name=b,path=$dir,entries=50000,size=4k,dirwidth=100
create files
