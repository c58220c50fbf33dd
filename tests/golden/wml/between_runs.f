define file name=f,path=$dir,size=64k,prealloc
define process name=p { thread name=t { flowop read name=r,filename=f,iosize=4k } }
echo "a ${scriptname}\n"
sleep 3
system "sync; echo $dir"
fsflush fstype=ext3
run 1
debug 1
version
list flowop
log "quiet"
enable lathist
