# Files opened, created, closed, deleted and looked at, by slot and by turn.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define fileset name=logs,path=$dir,entries=2,dirwidth=2,size=0,prealloc,readonly
define process name=p {
  thread name=t {
    flowop openfile name=open,filename=data,fd=1,dsync,noreadahead
    flowop closefile name=close,fd=1
    flowop deletefile name=delete,filename=data,fd=1
    flowop createfile name=create,filename=data,fd=1
    flowop fsync name=sync,fd=1
    flowop fsyncset name=syncset,filename=data
    flowop statfile name=stat,filename=data
    flowop statfile name=fstat,filename=data,fd=1
    flowop closefile name=close,fd=1
    flowop deletefile name=own,fd=1
    flowop openfile name=readonly,filename=logs,fd=2,directio
    flowop statfile name=other,fd=2
    flowop closefile name=close2,fd=2
    flowop deletefile name=any,filename=data
  }
  thread name=turn {
    flowop openfile name=next,filename=data,opennext
    flowop closefile name=nextclose,opennext
  }
}
run 10
