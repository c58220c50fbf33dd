# randomrw: random reads and random writes of one large file, side by side
# SPDX-License-Identifier: Apache-2.0
#
# Readers and writers do not wait for each other: their rates are what the storage gives each of
# them.
#
#   $dir         where the file is
#   $filesize    bytes of the file
#   $nthreads    threads of either kind
#   $iosize      bytes of one operation, and what its place is a multiple of
#   $workingset  bytes of the file that are used; 0 is all
#   $directio    1: past the page cache
#   $runtime     seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=5g
set $nthreads=1
set $iosize=8k
set $workingset=0
set $directio=0
set $runtime=60

define file name=largefile1,path=$dir,size=$filesize,prealloc,reuse,paralloc

define process name=rand-rw,instances=1 {
    thread name=rand-read,memsize=5m,instances=$nthreads {
        flowop read name=rand-read,filename=largefile1,iosize=$iosize,random,workingset=$workingset,directio=$directio
    }
    thread name=rand-write,memsize=5m,instances=$nthreads {
        flowop write name=rand-write,filename=largefile1,iosize=$iosize,random,workingset=$workingset,directio=$directio
    }
}

run $runtime
