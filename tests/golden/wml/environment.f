set $(HOME)=5
define fileset name=f,path=$dir,entries=$(HOME),size=8k,dirwidth=4
create files
