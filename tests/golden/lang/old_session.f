# As one typed it in 2008, or had a harness type it.
load small
set $dir=/mnt
create filesets
create processes
stats clear
sleep 60
stats snap
shutdown processes
shutdown fileset
quit
