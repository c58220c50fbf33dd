# ratelimcopyfiles: a tree of small files copied at a given rate
# SPDX-License-Identifier: Apache-2.0
#
# A tree is copied, file by file, into an empty one. The run ends when all is copied.
#
#   $dir           where the files are
#   $nfiles        files
#   $meandirwidth  entries of a directory, on average
#   $filesize      bytes of a file
#   $nthreads      threads
#   $iosize        bytes of one read or write
#   $eventrate     files per second of all threads; 0 is without limit
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=1000
set $meandirwidth=20
set $filesize=16k
set $nthreads=1
set $iosize=1m
set $eventrate=10

set mode quit firstdone
eventgen rate=$eventrate

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=100,paralloc
define fileset name=destfiles,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth

define process name=filecopier,instances=1 {
    thread name=copythread,memsize=10m,instances=$nthreads {
        flowop openfile name=openfile1,filesetname=bigfileset,fd=1
        flowop readwholefile name=readfile1,fd=1,iosize=$iosize
        flowop createfile name=createfile2,filesetname=destfiles,fd=2
        flowop writewholefile name=writefile2,srcfd=1,fd=2,iosize=$iosize
        flowop closefile name=closefile1,fd=1
        flowop closefile name=closefile2,fd=2
        flowop iopslimit name=limit,target=writefile2
    }
}

run
