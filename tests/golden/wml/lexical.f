# Keywords as values, one-letter and braced names, joined texts, comments, integers with suffixes.
set $d = $dir/sub   # a comment
set $x=file
set $n=05
define fileset name="$x-${n}", path="${d}", entries=$n, size=1m, filesizegamma=0, dirwidth=4, dirgamma=0, prealloc
define process name=random
{ thread name=in, instances = 2 , memsize=1m
  { flowop read name=read, filename=file-5, iosize=4k } } run 10
echo "joined $x-${n} \$n"
