# A limit on think time alone counts it; on operations and think time, the operations.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
eventgen rate=10
define flowop name=pass { flowop hog name=think,value=5 flowop statfile name=look,filename=data }
define process name=p {
  thread name=t {
    flowop pass name=both
    flowop hog name=alone,value=5
    flowop opslimit name=on-think,target=alone
    flowop opslimit name=on-inner-think,target=both.think
    flowop opslimit name=on-both,target=both
  }
}
run 5
