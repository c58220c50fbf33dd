# filemicro_delete: small files deleted by many threads, until so many steps are done
# SPDX-License-Identifier: Apache-2.0
#
# The count is of all steps of all threads.
#
#   $dir        where the files are
#   $count      steps
#   $nfiles     files
#   $dirwidth   entries of a directory, on average
#   $filesize   bytes of a file
#   $nthreads   threads
#   $eventrate  flowops per second of all threads; 0 is without limit
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=1000
set $nfiles=5000
set $dirwidth=100
set $filesize=16k
set $nthreads=16
set $eventrate=0

set mode quit firstdone
eventgen rate=$eventrate

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc=100,paralloc

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop deletefile name=deletefile1,filesetname=bigfileset
        flowop opslimit name=limit
        flowop finishoncount name=finish,value=$count
    }
}

run
