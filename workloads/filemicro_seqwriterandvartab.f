# filemicro_seqwriterandvartab: appends of sizes from a table, a file for each thread
# SPDX-License-Identifier: Apache-2.0
#
# Ends after one round of $count appends.
#
#   $dir       where the files are
#   $count     appends
#   $iosize    bytes of one append, a distribution: most are small, few are large
#   $nthreads  threads, and files
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $count=128k
set $iosize=randvar(type=tabular,min=1k,randtable={
    {80, 1k, 7k},
    {15, 8k, 64k},
    {05, 64k, 128k}
})
set $nthreads=1

set mode quit firstdone

define fileset name=bigfileset,path=$dir,size=0,entries=$nthreads,dirwidth=1000,prealloc=100

define process name=filemicro,instances=1 {
    thread name=filemicro,memsize=10m,instances=$nthreads {
        flowop openfile name=open-file,filesetname=bigfileset,fd=1
        flowop appendfile name=write-file,fd=1,iosize=$iosize,iters=$count
        flowop closefile name=close-file,fd=1
        flowop finishoncount name=finish,value=1
    }
}

run
