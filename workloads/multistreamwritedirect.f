# multistreamwritedirect: four sequential writers past the page cache, each on a file of its own
# SPDX-License-Identifier: Apache-2.0
#
# Four files, each overwritten from its beginning by threads of its own. At the end of a file it
# goes on and the file grows, for as long as the run lasts: mind the space. Nothing is made
# durable. With files of 10 GB it is the write test of the 2008 array test. As it was when one
# loaded it, set its variables and typed `run 300`: it has no run of its own.
#
# Source: a description of the file of that name in Sun's releases of filebench, 2005 to 2009.

set $dir=/tmp
set $filesize=1g
set $nthreads=1
set $iosize=1m

usage "set \$dir=<dir>         where the files are, now $dir"
usage "set \$filesize=<bytes>  size of each of the four files, now $filesize"
usage "set \$nthreads=<count>  threads on each file, now $nthreads"
usage "set \$iosize=<bytes>    bytes of one write, now $iosize"
usage "run <seconds>"

define file name=largefile1,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile2,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile3,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile4,path=$dir,size=$filesize,prealloc,reuse

define process name=seqwrite,instances=1 {
    thread name=seqwrite1,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite1,filename=largefile1,iosize=$iosize,directio
        flowop bwlimit name=limit
    }
    thread name=seqwrite2,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite2,filename=largefile2,iosize=$iosize,directio
        flowop bwlimit name=limit
    }
    thread name=seqwrite3,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite3,filename=largefile3,iosize=$iosize,directio
        flowop bwlimit name=limit
    }
    thread name=seqwrite4,memsize=10m,instances=$nthreads {
        flowop write name=seqwrite4,filename=largefile4,iosize=$iosize,directio
        flowop bwlimit name=limit
    }
}
