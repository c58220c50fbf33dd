# Types and names: unknown, misspelt, missing, too long; composites within themselves.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=again {
  flowop statfile name=stat,filename=data
  flowop again name=more
}
define flowop name=ping {
  flowop pong name=there
}
define flowop name=pong {
  flowop ping name=back
}
define process name=p {
  thread name=t {
    flowop readwholfile name=read,filename=data
    flowop frobnicate name=x
    flowop pin name=y
    flowop statfile filename=data
    flowop again name=a
    flowop ping name=b
    flowop statfile name=abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij,filename=data
  }
}
run 10
