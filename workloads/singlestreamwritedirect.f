# singlestreamwritedirect: one sequential writer of a file that grows, past the page cache
# SPDX-License-Identifier: Apache-2.0
#
# One file of 1 KiB is written from its beginning and grows for as long as the run lasts: mind the
# space. Nothing is made durable.
#
#   $dir       where the file is
#   $nthreads  threads on the file
#   $iosize    bytes of one write
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nthreads=1
set $iosize=1m
set $runtime=60

define file name=largefile1,path=$dir,prealloc

define process name=seqwrite,instances=1 {
    thread name=seqwrite,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite,filename=largefile1,iosize=$iosize,directio
    }
}

run $runtime
