# Composites nest 16 deep.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=c0 { flowop statfile name=s,filename=data }
define flowop name=c1 { flowop c0 name=s }
define flowop name=c2 { flowop c1 name=s }
define flowop name=c3 { flowop c2 name=s }
define flowop name=c4 { flowop c3 name=s }
define flowop name=c5 { flowop c4 name=s }
define flowop name=c6 { flowop c5 name=s }
define flowop name=c7 { flowop c6 name=s }
define flowop name=c8 { flowop c7 name=s }
define flowop name=c9 { flowop c8 name=s }
define flowop name=c10 { flowop c9 name=s }
define flowop name=c11 { flowop c10 name=s }
define flowop name=c12 { flowop c11 name=s }
define flowop name=c13 { flowop c12 name=s }
define flowop name=c14 { flowop c13 name=s }
define flowop name=c15 { flowop c14 name=s }
define flowop name=c16 { flowop c15 name=s }
define flowop name=c17 { flowop c16 name=s }
define process name=p {
  thread name=t {
    flowop c15 name=deep
    flowop c17 name=deepest
    flowop c16 name=deeper
  }
}
run 10
