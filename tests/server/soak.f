# What tests/server/soak.py runs: 200 streams that make, write, make durable, read, change, look up and
# remove files of one set, each file's bytes being a matter of its number and of the place alone.
set $dir=/tmp
set $nfiles=2000
set $filesize=48k
define fileset name=soak,path=$dir,size=$filesize,entries=$nfiles,dirwidth=50,prealloc=80
define process name=soak
{
  thread name=maker,instances=80
  {
    flowop createfile name=make,filesetname=soak,fd=1
    flowop writewholefile name=make-write,fd=1,iosize=16k
    flowop fsync name=make-fsync,fd=1
    flowop closefile name=make-close,fd=1
    flowop deletefile name=remove,filesetname=soak
  }
  thread name=reader,instances=80
  {
    flowop openfile name=read-open,filesetname=soak,fd=1
    flowop readwholefile name=read-whole,fd=1,iosize=16k
    flowop closefile name=read-close,fd=1
    flowop statfile name=stat,filesetname=soak
  }
  thread name=changer,instances=40
  {
    flowop openfile name=change-open,filesetname=soak,fd=1
    flowop write name=change,fd=1,iosize=4k,random
    flowop closefile name=change-close,fd=1
  }
}
run 60
