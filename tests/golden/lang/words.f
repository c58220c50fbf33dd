set $a=/tmp/1
set $b=-x
set $c=./x
set $d=_x
set $e=4kreads
set $f=a.b-c_d:e;f/g
set $g=10-20-30
set $h=größe
set $i=2008-varmail.f
define fileset name=7,path=../files,entries=7
define fileset name=16k,path=/1,entries=16k
define fileset name=true,path=08,entries=08
