# filemicro_seqwrite: one file written by so many appends
# SPDX-License-Identifier: Apache-2.0
#
# Ends after one round of $count appends.
#
#   $dir       where the files are
#   $count     appends
#   $iosize    bytes of one append
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=1024
set $iosize=1m
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=0,prealloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop appendfile name=write-file,filename=bigfile1,iosize=$iosize,iters=$count
        flowop finishoncount name=finish,value=1
    }
}

run
