define fileset path=$dir,entries=5
define fileset name=b,entries=5
define fileset name="a/b",path=$dir,entries=5,dirwidth=4
define fileset name=d,path=$dir,entries=5,dirwidth=4,prealloc=101
define fileset name=e,path=$dir,entries=4g,dirwidth=4
define file name=d,path=$dir
define fileset name="gé",path=$dir,entries=5,dirwidth=4
create files
