# A tree that is reused lies under the target.
define file name=f,path=$dir/../other,size=64k,reuse
define file name=g,path=$dir/a..b/...,size=64k,reuse
define file name=h,path=$dir/../other,size=64k
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
run 1
