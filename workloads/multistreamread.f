# multistreamread: four sequential readers, each of a file of its own
# SPDX-License-Identifier: Apache-2.0
#
# Four files, each read from its beginning to its end, over and over, by threads of its own. With
# files of 10 GB it is the read test of the 2008 array test: 40 GB against a cache of 10 GB. As it
# was when one loaded it, set its variables and typed `run 300`: it has no run of its own.
#
# Source: a description of the file of that name in Sun's releases of filebench, 2005 to 2009.

set $dir=/tmp
set $filesize=1g
set $nthreads=1
set $iosize=1m
set $directio=0

usage "set \$dir=<dir>         where the files are, now $dir"
usage "set \$filesize=<bytes>  size of each of the four files, now $filesize"
usage "set \$nthreads=<count>  threads on each file, now $nthreads"
usage "set \$iosize=<bytes>    bytes of one read, now $iosize"
usage "set \$directio=<0|1>    past the page cache, now $directio"
usage "run <seconds>"

define file name=largefile1,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile2,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile3,path=$dir,size=$filesize,prealloc,reuse
define file name=largefile4,path=$dir,size=$filesize,prealloc,reuse

define process name=seqread,instances=1 {
    thread name=seqread1,memsize=10m,instances=$nthreads {
        flowop read name=seqread1,filename=largefile1,iosize=$iosize,directio=$directio
        flowop bwlimit name=limit
    }
    thread name=seqread2,memsize=10m,instances=$nthreads {
        flowop read name=seqread2,filename=largefile2,iosize=$iosize,directio=$directio
        flowop bwlimit name=limit
    }
    thread name=seqread3,memsize=10m,instances=$nthreads {
        flowop read name=seqread3,filename=largefile3,iosize=$iosize,directio=$directio
        flowop bwlimit name=limit
    }
    thread name=seqread4,memsize=10m,instances=$nthreads {
        flowop read name=seqread4,filename=largefile4,iosize=$iosize,directio=$directio
        flowop bwlimit name=limit
    }
}
