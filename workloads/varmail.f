# varmail: a mail server, every written message made durable before the next step
# SPDX-License-Identifier: Apache-2.0
#
# One directory full of small messages (the /var/mail of a multi-user machine). Each thread
# deletes a message, delivers one (create, append, fsync), reads one and marks it (append, fsync),
# and reads another. Bound by fsync and metadata; the data fits most caches.
#
#   $dir             where the files are
#   $nfiles          messages
#   $meandirwidth    entries of a directory; more than $nfiles: all lie in one
#   $filesize        bytes of a message, a distribution
#   $nthreads        threads
#   $iosize          bytes of one read
#   $meanappendsize  bytes; an append is from none to this much
#   $runtime         seconds
#
# Source: the personality of that name in filebench 1.5, from a description of what it does.

set $dir=/tmp
set $nfiles=1000
set $meandirwidth=1000000
set $filesize=cvar(type=cvar-gamma,parameters=mean:16384;gamma:1.5)
set $nthreads=16
set $iosize=1m
set $meanappendsize=16k
set $runtime=60

define fileset name=bigfileset,path=$dir,size=$filesize,entries=$nfiles,dirwidth=$meandirwidth,prealloc=80

define process name=mailserver,instances=1 {
    thread name=mailthread,memsize=10m,instances=$nthreads {
        flowop deletefile name=delete1,filesetname=bigfileset
        flowop createfile name=create2,filesetname=bigfileset,fd=1
        flowop appendfilerand name=append2,iosize=$meanappendsize,fd=1
        flowop fsync name=fsync2,fd=1
        flowop closefile name=close2,fd=1
        flowop openfile name=open3,filesetname=bigfileset,fd=1
        flowop readwholefile name=read3,fd=1,iosize=$iosize
        flowop appendfilerand name=append3,iosize=$meanappendsize,fd=1
        flowop fsync name=fsync3,fd=1
        flowop closefile name=close3,fd=1
        flowop openfile name=open4,filesetname=bigfileset,fd=1
        flowop readwholefile name=read4,fd=1,iosize=$iosize
        flowop closefile name=close4,fd=1
    }
}

run $runtime
