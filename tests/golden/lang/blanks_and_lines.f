# A statement may span lines, several may share one, blanks around '=' and ',' are free.
set $dir = /tmp   set $n
=
5 # a comment ends with its line; "not a text, $nothing
define fileset name = a ,
	path=$dir,entries =	$n
define process
  name=p
{ thread
  name=t
  { flowop read name=r,filename=a flowop closefile
    name=c } }
run
60 echo "# is no comment here"
