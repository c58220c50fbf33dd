# filemicro_writefsync: small appends to one file, an fsync after every thousand
# SPDX-License-Identifier: Apache-2.0
#
# Ends after 128 fsyncs.
#
#   $dir         where the files are
#   $iosize      bytes of one append
#   $writeiters  appends between two fsyncs
#   $nthreads    threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $iosize=8k
set $writeiters=1024
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=0,prealloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop appendfile name=append-file,filename=bigfile1,iosize=$iosize,iters=$writeiters
        flowop fsync name=sync-file
        flowop finishoncount name=finish,value=128,target=sync-file
    }
}

run
