# createfiles: many small files created and written, until all are there
# SPDX-License-Identifier: Apache-2.0
#
# Threads create, write and close the files of an empty tree. The run ends when the first thread
# finds none left.
#
#   $dir           where the files are
#   $nfiles        files
#   $meandirwidth  entries of a directory, on average
#   $filesize      bytes of a file
#   $nthreads      threads
#   $iosize        bytes of one write
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=50000
set $meandirwidth=100
set $filesize=16k
set $nthreads=16
set $iosize=1m

set mode quit firstdone

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth

define process name=filecreate,instances=1 {
    thread name=filecreatethread,memsize=10m,instances=$nthreads {
        flowop createfile name=createfile1,filesetname=bigfileset,fd=1
        flowop writewholefile name=writefile1,fd=1,iosize=$iosize
        flowop closefile name=closefile1,fd=1
    }
}

run
