# Locals of composites stand wherever a value may, have defaults, and are handed on.
set $big=64k
define fileset name=one,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define fileset name=two,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=readall,$set,$size=4k,$times=1 {
  flowop openfile name=open,filename=$set,fd=1
  flowop readwholefile name=read,fd=1,iosize=$size,iters=$times
  flowop closefile name=close,fd=1
  flowop finishoncount name=end,value=50,target=read
}
define flowop name=work,$which {
  flowop readall name=small,$set=$which
  flowop readall name=large,$set=$which,$size=$big,$times=2
}
define process name=p {
  thread name=t {
    flowop work name=first,$which=one
    flowop work name=second,$which="two"
    flowop finishoncount name=whole,value=1000,target=first
    flowop finishoncount name=dotted,value=500,target=second.large.read
  }
}
run 10
