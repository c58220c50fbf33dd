# filemicro_rwritefsync: random writes to one file, and one fsync behind them all
# SPDX-License-Identifier: Apache-2.0
#
# How long it takes to make durable what was written all over a file. Ends after one round.
#
#   $dir       where the files are
#   $filesize  bytes of the file
#   $iters     writes
#   $iosize    bytes of one write
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $iters=16384
set $iosize=8k
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=$filesize,prealloc,reuse

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop write name=write-file,filename=bigfile1,random,iosize=$iosize,iters=$iters
        flowop fsync name=sync-file
        flowop finishoncount name=finish,value=1
    }
}

run
