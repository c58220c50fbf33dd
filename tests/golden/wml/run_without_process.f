define file name=f,path=$dir,size=64k,prealloc
run 5
