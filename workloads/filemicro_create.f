# filemicro_create: one file written by appending, until so many steps are done
# SPDX-License-Identifier: Apache-2.0
#
# The count is of all steps, the one that counts among them: of 1024 half are appends.
#
#   $dir       where the files are
#   $count     steps
#   $iosize    bytes of one append
#   $sync      true: each append is made durable
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=1024
set $iosize=1m
set $sync=false
set $nthreads=1

set mode quit firstdone

define file name=bigfile1,path=$dir,size=0,prealloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop appendfile name=append-file,filename=bigfile1,dsync=$sync,iosize=$iosize
        flowop finishoncount name=finish,value=$count
    }
}

run
