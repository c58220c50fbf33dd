# filemicro_seqwriterand: one file written by so many appends of random size
# SPDX-License-Identifier: Apache-2.0
#
# Ends after one round of $count appends.
#
#   $dir       where the files are
#   $count     appends
#   $iosize    bytes; an append is from none to this much
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=128k
set $iosize=8k
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=0,prealloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop openfile name=open-file,filename=bigfile1,fd=1
        flowop appendfilerand name=write-file,fd=1,iosize=$iosize,iters=$count
        flowop closefile name=close-file,fd=1
        flowop finishoncount name=finish,value=1
    }
}

run
