set $dir=/tmp
set $nfiles=1000
set $x = $a + 5
set $y=$a / 2
set $z=$a/2
set $p=$dir/sub
set $q="$dir/sub \$x\n"
set $mode=random
set $fs=cvar(type=cvar-gamma,parameters=mean:16384;gamma:1.5)
set $t=randvar(randtable={{80,1k,2k},
  {15, 2k,4k},{05,4k,8k}}, type=tabular,min=1k)
define randvar name=$rv, type=gamma, mean=5632, gamma=100
set $rv.mean=16k
define fileset name=bigfileset,path=${dir},size=$fs,entries=$nfiles,prealloc=80,paralloc
define process name=filereader , instances=1
{
  thread name=t,memsize=10m,instances=4 {
    flowop openfile name=file,filesetname=bigfileset,fd=1
    flowop read name=read,
       filename=bigfileset, iosize=16K,
       random , directio
    flowop rw name=x,$a,$b=5
  }
}
define flowop name=rw,$a,$b=2 { flowop closefile name=in }
foreach $i in 1,2,3 { echo "run $i of ${nfiles} $(HOME) \$5 $5"
 run $i }
psrun -10 60
run
