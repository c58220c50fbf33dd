# fivestreamreaddirect: five sequential readers past the page cache, each of a file of its own
# SPDX-License-Identifier: Apache-2.0
#
# Each file is read from its beginning to its end, over and over.
#
#   $dir       where the files are
#   $filesize  bytes of each file
#   $nthreads  threads on each file
#   $iosize    bytes of one read
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $nthreads=1
set $iosize=1m
set $runtime=60

define file name=largefile1,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile2,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile3,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile4,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile5,path=$dir,size=$filesize,prealloc,reuse

define process name=seqread,instances=1 {
    thread name=seqread1,memsize=10m,instances=$nthreads {
        flowop read name=seqread1,filename=largefile1,iosize=$iosize,directio
    }
    thread name=seqread2,memsize=10m,instances=$nthreads {
        flowop read name=seqread2,filename=largefile2,iosize=$iosize,directio
    }
    thread name=seqread3,memsize=10m,instances=$nthreads {
        flowop read name=seqread3,filename=largefile3,iosize=$iosize,directio
    }
    thread name=seqread4,memsize=10m,instances=$nthreads {
        flowop read name=seqread4,filename=largefile4,iosize=$iosize,directio
    }
    thread name=seqread5,memsize=10m,instances=$nthreads {
        flowop read name=seqread5,filename=largefile5,iosize=$iosize,directio
    }
}

run $runtime
