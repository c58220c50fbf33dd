# compflow_demo: composite flowops, and what their local variables are for
# SPDX-License-Identifier: Apache-2.0
#
# Three users work each on files of their own; what they do is defined once, the set of files and
# how often a step is done are locals. The inner composite reads one file whole and writes
# another.
#
#   $dir           where the files are
#   $nfiles        files of each user
#   $meandirwidth  entries of a directory, on average
#   $filesize      bytes of a file
#   $nthreads      threads of each user
#   $meaniosize    bytes; an append is from none to this much
#   $iosize        bytes of one read or write of a whole file
#   $runtime       seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=700
set $meandirwidth=20
set $filesize=128k
set $nthreads=10
set $meaniosize=16k
set $iosize=1m
set $runtime=60

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80,paralloc
define fileset name=u2fileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80,paralloc
define fileset name=u3fileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80,paralloc

define flowop name=readwrite,$fileset {
    flowop openfile name=openfile4,filesetname=$fileset,fd=1
    flowop openfile name=openfile5,filesetname=$fileset,fd=2
    flowop readwholefile name=readfile1,fd=1,iosize=$iosize
    flowop writewholefile name=writefile1,srcfd=1,fd=2,iosize=$iosize
    flowop closefile name=closefile4,fd=1
    flowop closefile name=closefile5,fd=2
}

define flowop name=dowork,$filesetnm,$rwiters {
    flowop createfile name=createfile1,filesetname=$filesetnm,fd=1
    flowop appendfilerand name=appendfilerand1,fd=1,iosize=$meaniosize
    flowop closefile name=closefile1,fd=1
    flowop readwrite name=rw1,iters=$rwiters,$fileset=$filesetnm
    flowop deletefile name=deletefile1,filesetname=$filesetnm
    flowop statfile name=statfile1,filesetname=$filesetnm
}

define process name=users,instances=1 {
    thread name=user1,memsize=10m,instances=$nthreads {
        flowop dowork name=dowork1,$filesetnm=bigfileset,$rwiters=5
    }
    thread name=user2,memsize=10m,instances=$nthreads {
        flowop dowork name=dowork2,$filesetnm=u2fileset,$rwiters=4
    }
    thread name=user3,memsize=10m,instances=$nthreads {
        flowop dowork name=dowork3,$filesetnm=u3fileset,$rwiters=3
    }
}

run $runtime
