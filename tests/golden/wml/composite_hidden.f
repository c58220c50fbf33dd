# A flowop of the language cannot be defined anew.
define fileset name=data,path=$dir,entries=10,dirwidth=4,size=8k,prealloc
define flowop name=statfile { flowop hog name=think,value=5 }
define process name=p { thread name=t { flowop statfile name=look,filename=data } }
run 1
