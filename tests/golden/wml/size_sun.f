define fileset name=a,path=$dir,entries=4,size=16k,dirwidth=4,dirgamma=0
define fileset name=b,path=$dir,entries=4,dirwidth=4,dirgamma=0
define file name=c,path=$dir,size=16k
define fileset name=d,path=$dir,entries=4,size=16k,filesizegamma=0,dirwidth=4,dirgamma=0
create files
