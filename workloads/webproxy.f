# webproxy: a caching web proxy, one page replaced and five read
# SPDX-License-Identifier: Apache-2.0
#
# Each thread deletes a page of the cache, stores another one, and reads five. With an event rate
# the sum of all steps is held to it.
#
#   $dir             where the files are
#   $nfiles          pages
#   $meandirwidth    entries of a directory; more than $nfiles: all lie in one
#   $filesize        bytes of a page
#   $nthreads        threads
#   $iosize          bytes of one read
#   $meanappendsize  bytes; a new page is from none to this much
#   $eventrate       flowops per second of all threads; 0 is without limit
#   $runtime         seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does. The
# event rate is a variable here; there it could not be given.

set $dir=/tmp
set $nfiles=10000
set $meandirwidth=1000000
set $filesize=16k
set $nthreads=100
set $iosize=1m
set $meanappendsize=16k
set $eventrate=0
set $runtime=60

eventgen rate=$eventrate

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80

define process name=proxycache,instances=1 {
    thread name=proxythread,memsize=10m,instances=$nthreads {
        flowop deletefile name=delete1,filesetname=bigfileset
        flowop createfile name=create1,filesetname=bigfileset,fd=1
        flowop appendfilerand name=append1,iosize=$meanappendsize,fd=1
        flowop closefile name=close1,fd=1
        flowop openfile name=open2,filesetname=bigfileset,fd=1
        flowop readwholefile name=read2,fd=1,iosize=$iosize
        flowop closefile name=close2,fd=1
        flowop openfile name=open3,filesetname=bigfileset,fd=1
        flowop readwholefile name=read3,fd=1,iosize=$iosize
        flowop closefile name=close3,fd=1
        flowop openfile name=open4,filesetname=bigfileset,fd=1
        flowop readwholefile name=read4,fd=1,iosize=$iosize
        flowop closefile name=close4,fd=1
        flowop openfile name=open5,filesetname=bigfileset,fd=1
        flowop readwholefile name=read5,fd=1,iosize=$iosize
        flowop closefile name=close5,fd=1
        flowop openfile name=open6,filesetname=bigfileset,fd=1
        flowop readwholefile name=read6,fd=1,iosize=$iosize
        flowop closefile name=close6,fd=1
        flowop opslimit name=limit
    }
}

run $runtime
