# statfile: many threads ask for the attributes of files in a large tree, and do nothing else
# SPDX-License-Identifier: Apache-2.0
#
# The tree of openfiles, five times that of filemicro_statfile: names that do not all stay in a small
# cache of directories and attributes.
#
#   $dir           where the files are
#   $nfiles        files
#   $meandirwidth  entries of a directory, on average
#   $nthreads      threads
#   $runtime       seconds
#
# Source: our own, beside openfiles; what it asks is what filemicro_statfile asks.

set $dir=/tmp
set $nfiles=50000
set $meandirwidth=100
set $nthreads=16
set $runtime=60

define fileset name=bigfileset,path=$dir,size=0,entries=$nfiles,dirwidth=$meandirwidth,prealloc=100

define process name=statfile,instances=1 {
    thread name=statfilethread,memsize=1m,instances=$nthreads {
        flowop statfile name=statfile1,filesetname=bigfileset
    }
}

run $runtime
