# createdelete-swing: all files created, then all deleted, by two processes in turn
# SPDX-License-Identifier: Apache-2.0
#
# One process creates and writes all files, tells the other one and waits; that one deletes them
# all, tells the first and waits. Metadata that grows and shrinks without end.
#
#   $dir        where the files are
#   $path       the same; a place of its own where it is set
#   $nfiles     files of one swing
#   $dirwidth   entries of a directory, exactly
#   $filesize   bytes of a file
#   $iosize     bytes of one write
#   $eventrate  files created per second; 0 is without limit
#   $runtime    seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does. There
# the processes wake each other, and one that was not yet asleep is never woken again; here they post
# to semaphores, which remember.

set $dir=/tmp
set $path=$dir
set $nfiles=1000
set $dirwidth=1000
set $filesize=500k
set $iosize=500k
set $eventrate=0
set $runtime=60

eventgen rate=$eventrate

define fileset
    name=swingset,
    path=$path,
    entries=$nfiles,
    dirwidth=$dirwidth,
    dirgamma=0,
    size=$filesize

define flowop name=createone {
    flowop createfile name=create,filesetname=swingset,fd=1
    flowop writewholefile name=write,fd=1,iosize=$iosize
    flowop closefile name=close,fd=1
    flowop eventlimit name=limit
}

define process name=creator,instances=1 {
    thread name=creator,memsize=10m,instances=1 {
        flowop createone name=createone,iters=$nfiles
        flowop sempost name=wakedel,target=delprocblock,value=1
        flowop semblock name=crprocblock,value=1,highwater=1
    }
}

define process name=deleter,instances=1 {
    thread name=deleter,memsize=10m,instances=1 {
        flowop semblock name=delprocblock,value=1,highwater=1
        flowop deletefile name=deleteone,filesetname=swingset,iters=$nfiles
        flowop sempost name=wakecr,target=crprocblock,value=1
    }
}

run $runtime
