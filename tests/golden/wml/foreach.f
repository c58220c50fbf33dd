define file name=f,path=$dir,size=64k,prealloc
set $io=1k
define process name=p { thread name=t,instances=$n { flowop read name=r,filename=f,iosize=$io } }
foreach $n in 1,2 {
  foreach $io in 4k,8k { echo "$n x $io" run 1 }
}
foreach $w in "a b","c" { echo "$w" }
