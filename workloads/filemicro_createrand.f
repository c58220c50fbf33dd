# filemicro_createrand: one file written by appends of random size, made durable now and then
# SPDX-License-Identifier: Apache-2.0
#
# After each $iters appends the file is made durable. Ends when so many bytes are written.
#
#   $dir       where the files are
#   $bytes     bytes in all
#   $iosize    bytes; an append is from none to this much
#   $iters     appends between two fsyncs
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $bytes=1g
set $iosize=1m
set $iters=10
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=0,prealloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop appendfilerand name=append-file,filename=bigfile1,iosize=$iosize,iters=$iters
        flowop fsync name=sync-file
        flowop finishonbytes name=finish,value=$bytes
    }
}

run
