foreach $n in 4,8 {
  define fileset name="f$n",path=$dir,entries=$n,size=4k,dirwidth=4,dirgamma=0,prealloc
}
foreach $n in 1,2 {
  define fileset name=g,path=$dir,entries=$n,size=4k,dirwidth=4,dirgamma=0,prealloc
  create filesets
}
