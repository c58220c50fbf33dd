# fileserver: a file server with home directories, whole files written and read without pacing
# SPDX-License-Identifier: Apache-2.0
#
# Each thread creates a file and writes it whole, appends to another, reads a third one whole,
# deletes one and asks for the attributes of one. Two thirds of the bytes are written.
#
#   $dir             where the files are
#   $nfiles          files
#   $meandirwidth    entries of a directory, on average
#   $filesize        bytes of a file, a distribution
#   $nthreads        threads
#   $iosize          bytes of one read or write of a whole file
#   $meanappendsize  bytes; an append is from none to this much
#   $runtime         seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=10000
set $meandirwidth=20
set $filesize=cvar(type=cvar-gamma,parameters=mean:131072;gamma:1.5)
set $nthreads=50
set $iosize=1m
set $meanappendsize=16k
set $runtime=60

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80

define process name=fileserver,instances=1 {
    thread name=filethread,memsize=10m,instances=$nthreads {
        flowop createfile name=create1,filesetname=bigfileset,fd=1
        flowop writewholefile name=write1,srcfd=1,fd=1,iosize=$iosize
        flowop closefile name=close1,fd=1
        flowop openfile name=open2,filesetname=bigfileset,fd=1
        flowop appendfilerand name=append2,iosize=$meanappendsize,fd=1
        flowop closefile name=close2,fd=1
        flowop openfile name=open3,filesetname=bigfileset,fd=1
        flowop readwholefile name=read3,fd=1,iosize=$iosize
        flowop closefile name=close3,fd=1
        flowop deletefile name=delete4,filesetname=bigfileset
        flowop statfile name=stat5,filesetname=bigfileset
    }
}

run $runtime
