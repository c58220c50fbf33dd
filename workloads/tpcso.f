# tpcso: a database of thirty files of very different sizes, as one that processes orders has
# SPDX-License-Identifier: Apache-2.0
#
# Readers go over all files in turn and work on each page; through semaphores they let writers
# write ten pages to each file, asynchronously, and the log writer 256 KiB. With the defaults 143
# GB are laid out: give less with $mb (64k makes it 9 GB). Names of files have dots in them.
#
#   $dir           where the files are
#   $mb            bytes that stand for one MB of a file
#   $iosize        bytes of a page
#   $nshadows      readers
#   $ndbwriters    writers
#   $usermode      turns of a loop of the processor for each page
#   $memperthread  bytes of memory of a thread
#   $eventrate     rounds per second of all readers; 0 is without limit
#   $runtime       seconds
#
# Source: the personality of that name in filebench, from a description of what it does: how many
# files, their sum, the smallest and the largest. The sizes of the others are ours.

set $dir=/tmp
set $mb=1m
set $iosize=2k
set $nshadows=200
set $ndbwriters=10
set $usermode=20000
set $memperthread=1m
set $eventrate=0
set $runtime=60

eventgen rate=$eventrate

define file name=cust.1,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=cust.2,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=cust.3,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=cust.4,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=stock.1,path=$dir,size=45056 * $mb,reuse,prealloc,paralloc
define file name=stock.2,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=stock.3,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=stock.4,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=stock.5,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=stock.6,path=$dir,size=8192 * $mb,reuse,prealloc,paralloc
define file name=ordl.1,path=$dir,size=2460 * $mb,reuse,prealloc,paralloc
define file name=ordl.2,path=$dir,size=2460 * $mb,reuse,prealloc,paralloc
define file name=ordl.3,path=$dir,size=2460 * $mb,reuse,prealloc,paralloc
define file name=ordl.4,path=$dir,size=2460 * $mb,reuse,prealloc,paralloc
define file name=ordl.5,path=$dir,size=2460 * $mb,reuse,prealloc,paralloc
define file name=ordl.6,path=$dir,size=2464 * $mb,reuse,prealloc,paralloc
define file name=hist.1,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=hist.2,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=order.1,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=order.2,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=iordr.1,path=$dir,size=512 * $mb,reuse,prealloc,paralloc
define file name=iordr.2,path=$dir,size=512 * $mb,reuse,prealloc,paralloc
define file name=nord.1,path=$dir,size=256 * $mb,reuse,prealloc,paralloc
define file name=icust.1,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=icust.2,path=$dir,size=1024 * $mb,reuse,prealloc,paralloc
define file name=items.1,path=$dir,size=16 * $mb,reuse,prealloc,paralloc
define file name=ware.1,path=$dir,size=2 * $mb,reuse,prealloc,paralloc
define file name=dist.1,path=$dir,size=8 * $mb,reuse,prealloc,paralloc
define file name=system.1,path=$dir,size=400 * $mb,reuse,prealloc,paralloc
define file name=roll.1,path=$dir,size=2000 * $mb,reuse,prealloc,paralloc

define process name=dbwr,instances=$ndbwriters {
    thread name=dbwr,memsize=$memperthread,useism {
        flowop aiowrite name=dbwrite-cust.1,filename=cust.1,fd=1,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-cust.2,filename=cust.2,fd=2,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-cust.3,filename=cust.3,fd=3,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-cust.4,filename=cust.4,fd=4,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.1,filename=stock.1,fd=5,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.2,filename=stock.2,fd=6,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.3,filename=stock.3,fd=7,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.4,filename=stock.4,fd=8,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.5,filename=stock.5,fd=9,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-stock.6,filename=stock.6,fd=10,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.1,filename=ordl.1,fd=11,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.2,filename=ordl.2,fd=12,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.3,filename=ordl.3,fd=13,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.4,filename=ordl.4,fd=14,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.5,filename=ordl.5,fd=15,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ordl.6,filename=ordl.6,fd=16,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-hist.1,filename=hist.1,fd=17,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-hist.2,filename=hist.2,fd=18,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-order.1,filename=order.1,fd=19,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-order.2,filename=order.2,fd=20,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-iordr.1,filename=iordr.1,fd=21,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-iordr.2,filename=iordr.2,fd=22,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-nord.1,filename=nord.1,fd=23,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-icust.1,filename=icust.1,fd=24,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-icust.2,filename=icust.2,fd=25,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-items.1,filename=items.1,fd=26,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-ware.1,filename=ware.1,fd=27,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-dist.1,filename=dist.1,fd=28,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-system.1,filename=system.1,fd=29,iosize=$iosize,random,iters=10,dsync
        flowop aiowrite name=dbwrite-roll.1,filename=roll.1,fd=30,iosize=$iosize,random,iters=10,dsync
        flowop hog name=dbwr-hog,value=10000
        flowop semblock name=dbwr-block,value=300,highwater=2000
        flowop aiowait name=dbwr-aiowait
    }
}

define process name=lgwr,instances=1 {
    thread name=lgwr,memsize=$memperthread,useism {
        flowop write name=lg-write,filename=roll.1,iosize=256k,random,dsync
        flowop semblock name=lg-block,value=320,highwater=1000
    }
}

define process name=shadow,instances=$nshadows {
    thread name=shadow,memsize=$memperthread,useism {
        flowop read name=shadowread-cust.1,filename=cust.1,fd=1,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-cust.2,filename=cust.2,fd=2,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-cust.3,filename=cust.3,fd=3,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-cust.4,filename=cust.4,fd=4,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.1,filename=stock.1,fd=5,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.2,filename=stock.2,fd=6,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.3,filename=stock.3,fd=7,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.4,filename=stock.4,fd=8,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.5,filename=stock.5,fd=9,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-stock.6,filename=stock.6,fd=10,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.1,filename=ordl.1,fd=11,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.2,filename=ordl.2,fd=12,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.3,filename=ordl.3,fd=13,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.4,filename=ordl.4,fd=14,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.5,filename=ordl.5,fd=15,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ordl.6,filename=ordl.6,fd=16,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-hist.1,filename=hist.1,fd=17,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-hist.2,filename=hist.2,fd=18,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-order.1,filename=order.1,fd=19,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-order.2,filename=order.2,fd=20,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-iordr.1,filename=iordr.1,fd=21,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-iordr.2,filename=iordr.2,fd=22,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-nord.1,filename=nord.1,fd=23,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-icust.1,filename=icust.1,fd=24,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-icust.2,filename=icust.2,fd=25,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-items.1,filename=items.1,fd=26,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-ware.1,filename=ware.1,fd=27,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-dist.1,filename=dist.1,fd=28,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-system.1,filename=system.1,fd=29,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop read name=shadowread-roll.1,filename=roll.1,fd=30,iosize=$iosize,random
        flowop hog name=shadowhog,value=$usermode
        flowop sempost name=shadow-post-lg,value=1,target=lg-block,blocking
        flowop sempost name=shadow-post-dbwr,value=1,target=dbwr-block,blocking
        flowop eventlimit name=random-rate
    }
}

run $runtime
