# Writes that nothing in the list waits for are held back by number, and by memory.
define file name=log,path=$dir,size=10m,prealloc
define process name=p {
  thread name=few { flowop aiowrite name=large,filename=log,iosize=1m,random }
  thread name=many { flowop aiowrite name=small,filename=log,iosize=512,random }
}
run 10
