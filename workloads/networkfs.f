# networkfs: the same client as netsfs, on as many files as the rate asks for
# SPDX-License-Identifier: Apache-2.0
#
# Each round starts a program (reads four files), edits six files, appends to three and asks for
# the attributes of one. The tree grows with the rate; the composites are told which set of files
# to use.
#
#   $dir             where the files are
#   $nfiles          files for each event per second
#   $totalfiles      files in all
#   $meandirwidth    entries of a directory, on average
#   $filesize        bytes of a file, a distribution: most are small
#   $fileidx         which file, a distribution: few are used much
#   $iosize          bytes of one read or write of a whole file
#   $meanappendsize  bytes; an append is from none to this much
#   $nthreads        threads
#   $eventrate       rounds per second of all threads; 0 is without limit
#   $runtime         seconds
#
# Source: the personality of that name in filebench, from a description of what it does. The sizes
# are those published for the NFS benchmark SFS 97; the mean of $fileidx is half the number of
# files, as 1.4 took it (1.5 used nearly always the first file).

set $dir=/tmp
set $eventrate=10
set $nfiles=10000
set $totalfiles=$nfiles * $eventrate
set $meandirwidth=20
set $filesize=randvar(type=tabular,min=1k,randtable={
    {33,   1k,    2k},
    {21,   2k,    4k},
    {13,   4k,    8k},
    {10,   8k,   16k},
    { 8,  16k,   32k},
    { 5,  32k,   64k},
    { 4,  64k,  128k},
    { 3, 128k,  256k},
    { 2, 256k,  512k},
    { 1,   1m,    2m}
})
set $fileidx=randvar(type=gamma,min=0,mean=$totalfiles / 2,gamma=100)
set $iosize=1m
set $meanappendsize=16k
set $nthreads=1
set $runtime=60

eventgen rate=$eventrate

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$totalfiles,dirwidth=$meandirwidth,prealloc=60,paralloc

# A program is started: it reads a handful of files.
define flowop name=launch,$fileset {
    flowop openfile name=open3,filesetname=$fileset,indexed=$fileidx,fd=3
    flowop openfile name=open4,filesetname=$fileset,indexed=$fileidx,fd=4
    flowop openfile name=open5,filesetname=$fileset,indexed=$fileidx,fd=5
    flowop openfile name=open6,filesetname=$fileset,indexed=$fileidx,fd=6
    flowop readwholefile name=read3,fd=3,iosize=$iosize
    flowop readwholefile name=read4,fd=4,iosize=$iosize
    flowop readwholefile name=read5,fd=5,iosize=$iosize
    flowop readwholefile name=read6,fd=6,iosize=$iosize
    flowop closefile name=close3,fd=3
    flowop closefile name=close4,fd=4
    flowop closefile name=close5,fd=5
    flowop closefile name=close6,fd=6
}

# A file is edited: read, written anew under another name, deleted.
define flowop name=rmw,$fileset {
    flowop openfile name=open1,filesetname=$fileset,indexed=$fileidx,fd=1
    flowop readwholefile name=read1,fd=1,iosize=$iosize
    flowop createfile name=create2,filesetname=$fileset,indexed=$fileidx,fd=2
    flowop writewholefile name=write2,srcfd=1,fd=2,iosize=$iosize
    flowop closefile name=close1,fd=1
    flowop closefile name=close2,fd=2
    flowop deletefile name=delete1,filesetname=$fileset,fd=1
}

define flowop name=appnd,$fileset {
    flowop openfile name=open1,filesetname=$fileset,indexed=$fileidx,fd=1
    flowop appendfilerand name=append1,fd=1,iosize=$meanappendsize
    flowop closefile name=close1,fd=1
}

define process name=netclient,instances=1 {
    thread name=fileuser,memsize=10m,instances=$nthreads {
        flowop launch name=launch,iters=1,$fileset=bigfileset
        flowop rmw name=rmw,iters=6,$fileset=bigfileset
        flowop appnd name=appnd,iters=3,$fileset=bigfileset
        flowop statfile name=stat,filesetname=bigfileset,indexed=$fileidx
        flowop eventlimit name=ratecontrol
    }
}

run $runtime
