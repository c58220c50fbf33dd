# removedirs: directories removed, until none is left
# SPDX-License-Identifier: Apache-2.0
#
# The run ends when the first thread finds none left to remove.
#
#   $dir           where the tree is
#   $ndirs         directories that are removed
#   $meandirwidth  entries of a directory, on average
#   $nthreads      threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $ndirs=10000
set $meandirwidth=100
set $nthreads=16

set mode quit firstdone

define fileset name=bigfileset,path=$dir,entries=0,leafdirs=$ndirs,dirwidth=$meandirwidth,prealloc=100

define process name=removedirs,instances=1 {
    thread name=removedirs,memsize=1m,instances=$nthreads {
        flowop removedir name=removedir1,filesetname=bigfileset
    }
}

run
