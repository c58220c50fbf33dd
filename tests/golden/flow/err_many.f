# Composites of composites: 10 to the 6th flowops are too many.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=c0 { flowop statfile name=s,filename=data }
define flowop name=c1 {
  flowop c0 name=n0
  flowop c0 name=n1
  flowop c0 name=n2
  flowop c0 name=n3
  flowop c0 name=n4
  flowop c0 name=n5
  flowop c0 name=n6
  flowop c0 name=n7
  flowop c0 name=n8
  flowop c0 name=n9
}
define flowop name=c2 {
  flowop c1 name=n0
  flowop c1 name=n1
  flowop c1 name=n2
  flowop c1 name=n3
  flowop c1 name=n4
  flowop c1 name=n5
  flowop c1 name=n6
  flowop c1 name=n7
  flowop c1 name=n8
  flowop c1 name=n9
}
define flowop name=c3 {
  flowop c2 name=n0
  flowop c2 name=n1
  flowop c2 name=n2
  flowop c2 name=n3
  flowop c2 name=n4
  flowop c2 name=n5
  flowop c2 name=n6
  flowop c2 name=n7
  flowop c2 name=n8
  flowop c2 name=n9
}
define flowop name=c4 {
  flowop c3 name=n0
  flowop c3 name=n1
  flowop c3 name=n2
  flowop c3 name=n3
  flowop c3 name=n4
  flowop c3 name=n5
  flowop c3 name=n6
  flowop c3 name=n7
  flowop c3 name=n8
  flowop c3 name=n9
}
define flowop name=c5 {
  flowop c4 name=n0
  flowop c4 name=n1
  flowop c4 name=n2
  flowop c4 name=n3
  flowop c4 name=n4
  flowop c4 name=n5
  flowop c4 name=n6
  flowop c4 name=n7
  flowop c4 name=n8
  flowop c4 name=n9
}
define flowop name=c6 {
  flowop c5 name=n0
  flowop c5 name=n1
  flowop c5 name=n2
  flowop c5 name=n3
  flowop c5 name=n4
  flowop c5 name=n5
  flowop c5 name=n6
  flowop c5 name=n7
  flowop c5 name=n8
  flowop c5 name=n9
}
define process name=p {
  thread name=t {
    flowop c6 name=many
  }
}
run 10
