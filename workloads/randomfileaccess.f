# randomfileaccess: files of very different sizes in a tree of uneven shape, picked by their index
# SPDX-License-Identifier: Apache-2.0
#
# Each thread opens three files, appends to one and reads the two others.
#
#   $dir             where the files are
#   $nfiles          files
#   $filesize        bytes of a file, a distribution
#   $dirwidth        entries of a directory, a distribution
#   $dirdepth        how deep a directory lies, a distribution
#   $fileidx         which file, a distribution: the first ones are used most
#   $nthreads        threads
#   $iosize          bytes of one read
#   $meanappendsize  bytes; an append is from none to this much
#   $runtime         seconds
#
# Source: the personality of that name in filebench, from a description of what it does. The mean of
# $fileidx is half the number of files, as 1.4 took it.

set $dir=/tmp
set $nfiles=10000
set $filesize=randvar(type=tabular,min=1k,randtable={
    {85,   1k,   64k},
    { 8,  64k,  128k},
    { 4, 128k,  256k},
    { 2, 256k,    1m},
    { 1,   1m,   10m}
})
set $dirwidth=randvar(type=tabular,min=1,randtable={
    {55,   1,   20},
    {30,  20,   60},
    {15,  60,  200}
})
set $dirdepth=randvar(type=uniform,min=1,mean=3)
set $fileidx=randvar(type=gamma,min=0,mean=$nfiles / 2,gamma=100)
set $nthreads=5
set $iosize=1m
set $meanappendsize=16k
set $runtime=60

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,dirdepthrv=$dirdepth,prealloc

define process name=rand-rw,instances=1 {
    thread name=rand-rw,memsize=10m,instances=$nthreads {
        flowop openfile name=open1,filesetname=bigfileset,indexed=$fileidx,fd=1
        flowop openfile name=open2,filesetname=bigfileset,indexed=$fileidx,fd=2
        flowop openfile name=open3,filesetname=bigfileset,indexed=$fileidx,fd=3
        flowop appendfilerand name=append1,fd=1,iosize=$meanappendsize
        flowop closefile name=close1,fd=1
        flowop readwholefile name=read2,fd=2,iosize=$iosize
        flowop readwholefile name=read3,fd=3,iosize=$iosize
        flowop closefile name=close2,fd=2
        flowop closefile name=close3,fd=3
    }
}

run $runtime
