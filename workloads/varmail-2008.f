# varmail-2008: the mail server of the 2008 array test, as filebench 1.3 from Sun had it
# SPDX-License-Identifier: Apache-2.0
#
# The same thirteen steps as varmail. The defaults are the parameters of that test: 100000 messages
# of 10000 bytes on average (gamma, shape 1.5), 60 threads, one directory; about 1 GB, which a cache
# of 10 GB holds. Sun's own defaults were nfiles=1000 filesize=16k nthreads=16.
#
# Source: the parameters published with the array test, and a description of filebench 1.3.4.

set $dir=/tmp
set $nfiles=100000
set $meandirwidth=1000000
set $filesize=10000
set $nthreads=60
set $meaniosize=16k
set $readiosize=1m

usage "set \$dir=<dir>            where the files are, now $dir"
usage "set \$nfiles=<count>       messages, now $nfiles"
usage "set \$meandirwidth=<count> entries of a directory, now $meandirwidth"
usage "set \$filesize=<bytes>     mean size of a message, now $filesize"
usage "set \$nthreads=<count>     threads, now $nthreads"
usage "set \$meaniosize=<bytes>   largest append, now $meaniosize"
usage "set \$readiosize=<bytes>   bytes of one read, now $readiosize"
usage "run <seconds>"

define fileset name=bigfileset,path=$dir,size=$filesize,filesizegamma=1500,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80

define process name=mailserver,instances=1 {
    thread name=mailthread,memsize=10m,instances=$nthreads {
        flowop deletefile name=delete1,filesetname=bigfileset
        flowop createfile name=create2,filesetname=bigfileset,fd=1
        flowop appendfilerand name=append2,iosize=$meaniosize,fd=1
        flowop fsync name=fsync2,fd=1
        flowop closefile name=close2,fd=1
        flowop openfile name=open3,filesetname=bigfileset,fd=1
        flowop readwholefile name=read3,fd=1,iosize=$readiosize
        flowop appendfilerand name=append3,iosize=$meaniosize,fd=1
        flowop fsync name=fsync3,fd=1
        flowop closefile name=close3,fd=1
        flowop openfile name=open4,filesetname=bigfileset,fd=1
        flowop readwholefile name=read4,fd=1,iosize=$readiosize
        flowop closefile name=close4,fd=1
    }
}
