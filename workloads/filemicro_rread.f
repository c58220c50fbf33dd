# filemicro_rread: random reads of one file, until so many bytes are read
# SPDX-License-Identifier: Apache-2.0
#
# Each read is of a place of its own, drawn anew.
#
#   $dir       where the files are
#   $filesize  bytes of the file
#   $bytes     bytes in all
#   $iosize    bytes of one read
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $bytes=128m
set $iosize=2k
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=$filesize,prealloc,reuse

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop read name=read-file,filename=bigfile1,random,iosize=$iosize
        flowop finishonbytes name=finish,value=$bytes
    }
}

run
