list
list fileset
list flowop
version
vars
quit
exit
help
help run
enable lathist
fsflush fstype=zfs
