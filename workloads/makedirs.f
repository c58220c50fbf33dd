# makedirs: directories made, until all are there
# SPDX-License-Identifier: Apache-2.0
#
# The run ends when the first thread finds none left to make.
#
#   $dir           where the tree is
#   $ndirs         directories that are made
#   $meandirwidth  entries of a directory, on average
#   $nthreads      threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $ndirs=10000
set $meandirwidth=100
set $nthreads=16

set mode quit firstdone

define fileset name=bigfileset,path=$dir,entries=0,leafdirs=$ndirs,dirwidth=$meandirwidth

define process name=makedirs,instances=1 {
    thread name=makedirs,memsize=1m,instances=$nthreads {
        flowop makedir name=makedir1,filesetname=bigfileset
    }
}

run
