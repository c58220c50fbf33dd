defin fileset name=x
set dir=/tmp
set $a=
define fileset name=x,pth=/tmp
define process name=p {
  thread {
    flowop read name=a iosize=4k
    flowp read name=b
    flowop read name=x,iosise=4k
  }
  flowop read name=y
}
define process name=q {
  thread name=r {
    flowop read name=z,fd=99999999999999999999
echo "unclosed
run 60s
}
