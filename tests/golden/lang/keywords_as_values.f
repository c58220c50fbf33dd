# Reserved words are values behind '=' and inside quotes, wherever one may stand.
set $a=random
set $b=set
set $c="file"
set $d=run
set $e=true
set $f="true"
set $g=randvar
set $h=cvar
define fileset name=file,path=in,entries=1
define fileset name=define,path="files",entries=1
define process name=process {
  thread name=thread {
    flowop read name=read,filename=file
    flowop iosize name=flowop,filename=define,target=
      read
  }
}
foreach $v in set,run,"file",foreach { echo in }
load list
