# cvar_example: reads of one file whose sizes are drawn from a distribution
# SPDX-License-Identifier: Apache-2.0
#
# Shows how a distribution is given: sizes from 4 KiB to 8 KiB, all equally likely.
#
#   $dir       where the file is
#   $filesize  bytes of the file
#   $iosize    bytes of one read, a distribution
#   $nthreads  threads
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=100m
set $iosize=cvar(type=cvar-uniform,parameters=lower:4096;upper:8192)
set $nthreads=1
set $runtime=60

define file name=largefile1,path=$dir,size=$filesize,prealloc

define process name=reader,instances=1 {
    thread name=reader,memsize=1m,instances=$nthreads {
        flowop openfile name=open1,filename=largefile1,fd=1
        flowop read name=read1,fd=1,iosize=$iosize
        flowop closefile name=close1,fd=1
    }
}

run $runtime
