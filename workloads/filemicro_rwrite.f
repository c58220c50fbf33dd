# filemicro_rwrite: random writes to one file, until so many bytes are written
# SPDX-License-Identifier: Apache-2.0
#
# Each write is to a place of its own, drawn anew.
#
#   $dir       where the files are
#   $filesize  bytes of the file
#   $bytes     bytes in all
#   $iosize    bytes of one write
#   $sync      true: each write is made durable
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $bytes=128m
set $iosize=2k
set $sync=false
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=$filesize,prealloc,reuse

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop write name=write-file,filename=bigfile1,random,dsync=$sync,iosize=$iosize
        flowop finishonbytes name=finish,value=$bytes
    }
}

run
