# filemicro_rwritedsync: random writes to one file, each made durable by the write itself
# SPDX-License-Identifier: Apache-2.0
#
# The count is of all steps, the one that counts among them: half of them are writes.
#
#   $dir       where the files are
#   $filesize  bytes of the file
#   $count     steps
#   $iosize    bytes of one write
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $count=65536
set $iosize=2k
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=$filesize,prealloc,reuse

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop write name=write-file,filename=bigfile1,random,dsync,iosize=$iosize
        flowop finishoncount name=finish,value=$count
    }
}

run
