# bringover: a workspace brought over from another: small files copied, until all are
# SPDX-License-Identifier: Apache-2.0
#
# A tree is copied, file by file, into an empty one. The run ends when all is copied.
#
#   $dir       where the files are
#   $nfiles    files
#   $dirwidth  entries of a directory, on average
#   $filesize  bytes of a file
#   $nthreads  threads
#   $iosize    bytes of one read or write
#
# Source: a description of the file of that name in Sun's releases of filebench, 2005 to 2009.

set $dir=/tmp
set $nfiles=1000
set $dirwidth=20
set $filesize=16k
set $nthreads=1
set $iosize=1m

set mode quit firstdone

define fileset name=srcfiles,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc=100,paralloc
define fileset name=destfiles,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth

define process name=filecopier,instances=1 {
    thread name=copythread,memsize=10m,instances=$nthreads {
        flowop openfile name=openfile1,filesetname=srcfiles,fd=1
        flowop readwholefile name=readfile1,fd=1,iosize=$iosize
        flowop createfile name=createfile2,filesetname=destfiles,fd=2
        flowop writewholefile name=writefile2,srcfd=1,fd=2,iosize=$iosize
        flowop closefile name=closefile1,fd=1
        flowop closefile name=closefile2,fd=2
    }
}

run
