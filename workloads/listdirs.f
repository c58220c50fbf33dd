# listdirs: directories listed by many threads
# SPDX-License-Identifier: Apache-2.0
#
# Every directory of a tree of empty files is read from its first entry to its last.
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
set $meandirwidth=5
set $nthreads=16
set $runtime=60

define fileset name=bigfileset,path=$dir,size=0,entries=$nfiles,dirwidth=$meandirwidth,prealloc=100

define process name=listdirs,instances=1 {
    thread name=listdirs,memsize=1m,instances=$nthreads {
        flowop listdir name=listdir1,filesetname=bigfileset
    }
}

run $runtime
