define fileset name=a,path=$dir,entries=5,size=4k,dirwidth=4,dirgamma=0,leafdirs=3,prealloc=50,paralloc=false,readonly
define fileset name=b,path=$dir,entries=5,size=4k,dirwidth=4,dirgamma=500,prealloc,paralloc,writeonly
define fileset name=c,path=$dir,entries=5,filesize=4k,dirwidth=4,dirgamma=0,reuse
define fileset name=d,path=$dir,entries=5,size=4k,dirwidth=4,dirgamma=0,trusttree
define fileset name=e,path=$dir,entries=5,size=4k,dirwidth=4,dirgamma=0,reuse,prealloc=40
create files
