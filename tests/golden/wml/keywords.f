# Each a word of the language, and here a name.
set $read=write
set $run="run"
define fileset name=size,path="$dir",entries=4,size=8k,dirwidth=4,dirgamma=0,prealloc
define file name="file",path=$dir,size=64k,prealloc
define process name=process
{
  thread name=thread
  {
    flowop read name=random,filename=file,iosize=4k
    flowop read name=in,filesetname=size,iosize=4k,fd=1
  }
}
echo "$read $run"
run 1
