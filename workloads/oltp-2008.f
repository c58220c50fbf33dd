# oltp-2008: the database of the 2008 array test, as filebench 1.3 from Sun had it
# SPDX-License-Identifier: Apache-2.0
#
# Ten data files of 4 GB, 40 GB against a cache of 10 GB, one log of 10 MB; 200 shadows, 10 database
# writers, one log writer. Sizes are exact, caches are left as they are, there is no event rate.
#
# Source: the parameters published with the array test, and a description of filebench 1.3.4.

set $dir=/tmp
set $filesize=4g
set $nfiles=10
set $logfilesize=10m
set $nlogfiles=1
set $iosize=2k
set $nshadows=200
set $ndbwriters=10
set $usermode=200000
set $memperthread=1m
set $workingset=0
set $cached=0
set $directio=0

usage "set \$dir=<dir>            where the files are, now $dir"
usage "set \$filesize=<bytes>     size of a data file, now $filesize"
usage "set \$nfiles=<count>       data files, now $nfiles"
usage "set \$logfilesize=<bytes>  size of the log, now $logfilesize"
usage "set \$nlogfiles=<count>    log files, now $nlogfiles"
usage "set \$iosize=<bytes>       size of a page, now $iosize"
usage "set \$nshadows=<count>     readers, now $nshadows"
usage "set \$ndbwriters=<count>   writers, now $ndbwriters"
usage "set \$usermode=<count>     turns of the loop for each page, now $usermode"
usage "set \$memperthread=<bytes> memory of a thread, now $memperthread"
usage "set \$workingset=<bytes>   part of each file that is used, 0 is all, now $workingset"
usage "set \$cached=<0|1>         of no effect here, now $cached"
usage "set \$directio=<0|1>       past the page cache, now $directio"
usage "run <seconds>"

define fileset name=datafiles,path=$dir,size=$filesize,filesizegamma=0,entries=$nfiles,dirwidth=1024,prealloc=100,cached=$cached,reuse
define fileset name=logfile,path=$dir,size=$logfilesize,filesizegamma=0,entries=$nlogfiles,dirwidth=1024,prealloc=100,cached=$cached,reuse

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
    }
}
