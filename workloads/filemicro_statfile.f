# filemicro_statfile: many threads ask for the attributes of files, and do nothing else
# SPDX-License-Identifier: Apache-2.0
#
# The names are in the cache soon: what a metadata server answers from memory.
#
#   $dir       where the files are
#   $nfiles    files
#   $dirwidth  entries of a directory, on average
#   $filesize  bytes of a file
#   $nthreads  threads
#   $runtime   seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=10000
set $dirwidth=20
set $filesize=128k
set $nthreads=20
set $runtime=60

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc=100

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop statfile name=statfile1,filesetname=bigfileset
    }
}

run $runtime
