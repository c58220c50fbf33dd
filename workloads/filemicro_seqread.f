# filemicro_seqread: one file read from its beginning to its end, over and over
# SPDX-License-Identifier: Apache-2.0
#
# With one thread and a file that no cache holds: what one reader gets.
#
#   $dir       where the files are
#   $filesize  bytes of the file
#   $iosize    bytes of one read
#   $nthreads  threads
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=1g
set $iosize=1m
set $nthreads=1
set $runtime=60

define file name=bigfile1,path=$dir,size=$filesize,prealloc,reuse

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop read name=read-file,filename=bigfile1,iosize=$iosize
    }
}

run $runtime
