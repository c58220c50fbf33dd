set $trust=false
set $ro=false
define fileset name=f,path=$dir,entries=4,size=8k,dirwidth=4,dirgamma=0,reuse,trusttree=$trust,readonly=$ro
create files
set $trust=true
create files
set $ro=true
create files
