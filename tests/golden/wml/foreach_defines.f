# What a loop defines means the loop's variables as they were then; what is set inside is set for all.
set $io=1k
foreach $i in 1,2 {
  foreach $w in "a","b" {
    set $io=$i * 4k
    define fileset name=f$i$w,path=$dir,entries=$i,size=64k,dirwidth=4,dirgamma=0,prealloc
    define process name=p$i,instances=$i {
      thread name=t$w,instances=$i { flowop read name=r$w,filename=f$i$w,iosize=$io,iters=$i }
    }
  }
}
set $i=9
run 1
