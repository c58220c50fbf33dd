# Sizes: 0, larger than memsize, than the files, than the working set; no whole sectors; numbers too large.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define fileset name=odd,path=$dir,entries=10,dirwidth=4,size=1000,prealloc
define fileset name=empty,path=$dir,entries=10,dirwidth=4,size=0,prealloc
define process name=p {
  thread name=zero {
    flowop read name=a,filename=data
    flowop write name=b,filename=data
    flowop appendfile name=c,filename=data
    flowop appendfilerand name=d,filename=data
    flowop aiowrite name=e,filename=data,random
    flowop readwholefile name=f,filename=empty,fd=1
    flowop writewholefile name=g,filename=empty,fd=1
  }
  thread name=small,memsize=4k {
    flowop read name=h,filename=data,iosize=8k
    flowop readwholefile name=i,filename=data
    flowop appendfilerand name=j,filename=data,iosize=8k
  }
  thread name=places {
    flowop read name=k,filename=data,iosize=16k,random
    flowop write name=l,filename=data,iosize=8k,random,workingset=4k
    flowop aiowrite name=m,filename=data,iosize=4k
  }
  thread name=direct {
    flowop read name=n,filename=data,iosize=1000,directio
    flowop writewholefile name=o,filename=odd,iosize=4k,fd=1,directio
  }
  thread name=numbers {
    flowop delay name=r,value=100g
  }
  thread name=loops {
    flowop statfile name=q,filename=data,iters=5000m
  }
}
run 10
