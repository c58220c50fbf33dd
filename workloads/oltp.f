# oltp: a database, many readers of small pages, writers behind them and a log
# SPDX-License-Identifier: Apache-2.0
#
# Shadow processes read pages at random and work on them (a loop of the processor); through
# semaphores they let the database writers write a hundred pages each, asynchronously, and the log
# writer 256 KiB. On few processors the work is what limits: lower $usermode then.
#
#   $dir           where the files are
#   $filesize      bytes of a data file
#   $nfiles        data files
#   $logfilesize   bytes of a log file
#   $nlogfiles     log files
#   $iosize        bytes of a page
#   $nshadows      readers
#   $ndbwriters    writers
#   $usermode      turns of the loop for each page
#   $memperthread  bytes of memory of a thread
#   $workingset    bytes of each file that pages are taken from; 0 is the whole file
#   $directio      1: past the page cache
#   $eventrate     pages that are read per second by all; 0 is without limit
#   $runtime       seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=10m
set $nfiles=10
set $logfilesize=10m
set $nlogfiles=1
set $iosize=2k
set $nshadows=200
set $ndbwriters=10
set $usermode=200000
set $memperthread=1m
set $workingset=0
set $directio=0
set $eventrate=0
set $runtime=60

eventgen rate=$eventrate

define fileset name=datafiles,path=$dir,size=$filesize,entries=$nfiles,dirwidth=1024,prealloc=100,reuse
define fileset name=logfile,path=$dir,size=$logfilesize,entries=$nlogfiles,dirwidth=1024,prealloc=100,reuse

define process name=lgwr,instances=1 {
    thread name=lgwr,memsize=$memperthread,useism {
        flowop aiowrite name=lg-write,filesetname=logfile,iosize=256k,workingset=1m,random,directio=$directio,dsync
        flowop aiowait name=lg-aiowait
        flowop semblock name=lg-block,value=3200,highwater=1000
    }
}

# Database writers: a hundred pages each time that the shadows have read enough.
define process name=dbwr,instances=$ndbwriters {
    thread name=dbwr,memsize=$memperthread,useism {
        flowop aiowrite name=dbwrite-a,filesetname=datafiles,iosize=$iosize,workingset=$workingset,random,iters=100,opennext,directio=$directio,dsync
        flowop hog name=dbwr-hog,value=10000
        flowop semblock name=dbwr-block,value=1000,highwater=2000
        flowop aiowait name=dbwr-aiowait
    }
}

# Shadows: a page read, work on it, and word to both kinds of writers.
define process name=shadow,instances=$nshadows {
    thread name=shadow,memsize=$memperthread,useism {
        flowop read name=shadowread,filesetname=datafiles,iosize=$iosize,workingset=$workingset,random,opennext,directio=$directio
        flowop hog name=shadowhog,value=$usermode
        flowop sempost name=shadow-post-lg,value=1,target=lg-block,blocking
        flowop sempost name=shadow-post-dbwr,value=1,target=dbwr-block,blocking
        flowop eventlimit name=random-rate
    }
}

run $runtime
