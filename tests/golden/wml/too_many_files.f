# The command line leaves no room for the names of the second.
define fileset name=a,path=$dir,entries=1000,size=4k,dirwidth=100
define fileset name=b,path=$dir,entries=2000m,size=4k,dirwidth=100
create files
