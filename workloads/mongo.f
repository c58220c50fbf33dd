# mongo: files appended to and read back in one tree while those of another are deleted
# SPDX-License-Identifier: Apache-2.0
#
# The run ends when the second tree is empty.
#
#   $dir             where the files are
#   $nfiles          files of each tree
#   $dirwidth        entries of a directory, on average
#   $filesize        bytes of a file
#   $nthreads        threads
#   $iosize          bytes of one read
#   $meanappendsize  bytes; an append is from none to this much
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=1000
set $dirwidth=20
set $filesize=16k
set $nthreads=1
set $iosize=1m
set $meanappendsize=16k

set mode quit firstdone

define fileset name=postset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc,paralloc
define fileset name=postsetdel,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc,paralloc

define process name=mongo,instances=1 {
    thread name=mongo,memsize=10m,instances=$nthreads {
        flowop openfile name=openfile1,filesetname=postset,fd=1
        flowop appendfilerand name=appendfilerand1,fd=1,iosize=$meanappendsize
        flowop closefile name=closefile1,fd=1
        flowop openfile name=openfile2,filesetname=postset,fd=1
        flowop readwholefile name=readfile2,fd=1,iosize=$iosize
        flowop closefile name=closefile2,fd=1
        flowop deletefile name=deletefile3,filesetname=postsetdel
    }
}

run
