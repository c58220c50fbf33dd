# Accepted, and nothing is done: each with a warning.
enable multi master=host,client=name
domultisync value=1
stats clear
stats command "vmstat 1"
stats directory /tmp
stats dump "file"
stats xmldump "file"
stats multidump "file"
stats snap
fscheck path=/mnt,fstype=ufs
enable_osprof
disable_osprof
define posset name=p,type=rnd,entries=100,max=1g,seed=5
define fileset name=a,path=/tmp,namelength=8,entries=1
define file name=b,path=/tmp,entries=1,dirwidth=3,size=1k
define process name=p,instances=1 {
  thread name=t,procname=p {
    flowop read name=r,filename=b,random,possetname=p
  }
}
