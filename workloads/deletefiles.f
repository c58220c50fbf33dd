# deletefiles: many small files deleted, until none is left
# SPDX-License-Identifier: Apache-2.0
#
#   $dir           where the files are
#   $nfiles        files
#   $meandirwidth  entries of a directory, on average
#   $filesize      bytes of a file
#   $nthreads      threads
#   $eventrate     flowops per second of all threads; 0 is without limit
#
# Source: a description of the file of that name in Sun's releases of filebench, 2005 to 2009.

set $dir=/tmp
set $nfiles=50000
set $meandirwidth=100
set $filesize=16k
set $nthreads=16
set $eventrate=0

set mode quit firstdone
eventgen rate=$eventrate

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=100,paralloc

define process name=filedelete,instances=1 {
    thread name=filedeletethread,memsize=10m,instances=$nthreads {
        flowop deletefile name=deletefile1,filesetname=bigfileset,fd=1
        flowop opslimit name=limit
    }
}

run
