# videoserver: videos streamed to many viewers while the archive behind them is renewed
# SPDX-License-Identifier: Apache-2.0
#
# A set of popular videos is read in sequence by many threads, held to a bandwidth; one thread
# replaces a video of the archive every few seconds. With the defaults more than 1.2 TB are laid
# out: give smaller numbers unless you mean it.
#
#   $dir             where the files are
#   $filesize        bytes of a video
#   $numactivevids   videos that are watched
#   $numpassivevids  videos of the archive, of which half exist at first
#   $actvidsname     name of the set of those that are watched
#   $passvidsname    name of the set of the archive
#   $reuseit         keep the files of an earlier run
#   $nthreads        viewers
#   $readiosize      bytes of one read
#   $writeiosize     bytes of one write
#   $repintval       seconds between two replacements
#   $eventrate       MiB per second that all viewers read together; 0 is without limit
#   $runtime         seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $filesize=10g
set $numactivevids=32
set $numpassivevids=194
set $actvidsname=activevids
set $passvidsname=passivevids
set $reuseit=false
set $nthreads=48
set $readiosize=256k
set $writeiosize=1m
set $repintval=10
set $eventrate=96
set $runtime=60

eventgen rate=$eventrate

define fileset name=$actvidsname,path=$dir,size=$filesize,entries=$numactivevids,dirwidth=4,prealloc,paralloc,reuse=$reuseit
define fileset name=$passvidsname,path=$dir,size=$filesize,entries=$numpassivevids,dirwidth=20,prealloc=50,paralloc,reuse=$reuseit

define process name=vidwriter,instances=1 {
    thread name=vidwriter,memsize=10m,instances=1 {
        flowop deletefile name=viddelete,filesetname=$passvidsname
        flowop createfile name=vidcreate,filesetname=$passvidsname,fd=1
        flowop writewholefile name=vidwrite,srcfd=1,fd=1,iosize=$writeiosize
        flowop closefile name=vidclose,fd=1
        flowop delay name=vidpause,value=$repintval
    }
}

define process name=vidreaders,instances=1 {
    thread name=vidreaders,memsize=10m,instances=$nthreads {
        flowop read name=vidreader,filesetname=$actvidsname,iosize=$readiosize
        flowop bwlimit name=vidlimit,target=vidreader
    }
}

run $runtime
