# fivestreamwrite: five sequential writers, each on a file of its own, which grows
# SPDX-License-Identifier: Apache-2.0
#
# Each file is overwritten from its beginning; at its end it goes on and the file grows, for as
# long as the run lasts: mind the space. Nothing is made durable.
#
#   $dir       where the files are
#   $filesize  bytes of each file
#   $nthreads  threads on each file
#   $iosize    bytes of one write
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

define process name=seqwrite,instances=1 {
    thread name=seqwrite1,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite1,filename=largefile1,iosize=$iosize
    }
    thread name=seqwrite2,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite2,filename=largefile2,iosize=$iosize
    }
    thread name=seqwrite3,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite3,filename=largefile3,iosize=$iosize
    }
    thread name=seqwrite4,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite4,filename=largefile4,iosize=$iosize
    }
    thread name=seqwrite5,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite5,filename=largefile5,iosize=$iosize
    }
}

run $runtime
