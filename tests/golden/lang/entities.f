# Every attribute; a repeated one stays, the last one counts; a synonym is the one it stands for.
define file name=f,path=/tmp,size=1g,prealloc,paralloc,reuse,trusttree,readonly,writeonly=false,cached=true
define files name=f,path=/tmp,filesize=1g
define fileset name=s,path=/tmp,entries=1000,filesize=16k,size=8k,dirwidth=20,dirgamma=0,
  dirdepthrv=$rv,leafdirs=10,prealloc=80,paralloc=true,reuse,trusttree,readonly,writeonly,
  cached=$cached,filesizegamma=1500
define filesets name=s,path=/tmp
define processes name=p,instances=$i,nice=10
{
  thread name=t,memsize=10m,instances=4,useism,ioprio=3
  {
    flowop write name=w,filesetname=s,fd=1,srcfd=2,iosize=$io,workingset=1m,random,iters=5,
      opennext,indexed=$rv,dsync=$sync,directio=0,noreadahead,target=w,value=200,highwater=10,
      blocking
    flowop print name=p,value="text"
  }
  thread name=u { flowop hog name=h,value=1000 }
}
