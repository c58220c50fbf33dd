# openfiles: files opened and closed by many threads, and nothing else
# SPDX-License-Identifier: Apache-2.0
#
# Empty files: what it costs to get at a file.
#
#   $dir           where the tree is
#   $nfiles        files
#   $meandirwidth  entries of a directory, on average
#   $nthreads      threads
#   $runtime       seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=50000
set $meandirwidth=100
set $nthreads=16
set $runtime=60

define fileset name=bigfileset,path=$dir,size=0,entries=$nfiles,dirwidth=$meandirwidth,prealloc=100

define process name=openfiles,instances=1 {
    thread name=openfiles,memsize=1m,instances=$nthreads {
        flowop openfile name=openfile1,filesetname=bigfileset,fd=1
        flowop closefile name=closefile1,fd=1
    }
}

run $runtime
