# singlestreamreaddirect: one sequential reader of one large file, past the page cache
# SPDX-License-Identifier: Apache-2.0
#
# One file is read from its beginning to its end, over and over.
#
#   $dir       where the file is
#   $filesize  bytes of the file
#   $nthreads  threads on the file
#   $iosize    bytes of one read
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=5g
set $nthreads=1
set $iosize=1m
set $runtime=60

define file name=largefile1,path=$dir,size=$filesize,prealloc,reuse

define process name=seqread,instances=1 {
    thread name=seqread,memsize=10m,instances=$nthreads {
        flowop read name=seqread,filename=largefile1,iosize=$iosize,directio
    }
}

run $runtime
