# 1,100 names are too many.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=c0 {
  flowop statfile name=s0,filename=data
  flowop statfile name=s1,filename=data
  flowop statfile name=s2,filename=data
  flowop statfile name=s3,filename=data
  flowop statfile name=s4,filename=data
  flowop statfile name=s5,filename=data
  flowop statfile name=s6,filename=data
  flowop statfile name=s7,filename=data
  flowop statfile name=s8,filename=data
  flowop statfile name=s9,filename=data
  flowop statfile name=s10,filename=data
}
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
define process name=p {
  thread name=t {
    flowop c1 name=m0
    flowop c1 name=m1
    flowop c1 name=m2
    flowop c1 name=m3
    flowop c1 name=m4
    flowop c1 name=m5
    flowop c1 name=m6
    flowop c1 name=m7
    flowop c1 name=m8
    flowop c1 name=m9
  }
}
run 5
