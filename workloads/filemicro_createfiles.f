# filemicro_createfiles: small files created in one directory, until so many steps are done
# SPDX-License-Identifier: Apache-2.0
#
# Half of the files are there already. The count is of all steps: four for each file.
#
#   $dir       where the files are
#   $count     steps
#   $nfiles    files
#   $dirwidth  entries of a directory, on average
#   $filesize  bytes of a file
#   $iosize    bytes of one write
#   $nthreads  threads
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=15000
set $nfiles=20000
set $dirwidth=100000
set $filesize=1k
set $iosize=1m
set $nthreads=1

set mode quit firstdone

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$dirwidth,prealloc=50

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop createfile name=createfile1,filesetname=bigfileset,fd=1
        flowop writewholefile name=writefile1,fd=1,iosize=$iosize
        flowop closefile name=closefile1,fd=1
        flowop finishoncount name=finish,value=$count
    }
}

run
