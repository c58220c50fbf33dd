set $a=10
set $b=$a
set $sum=$a + 5
set $less=$b - 4
set $more=$less * 1k
set $part=$more / 3
set $a=20
echo "$b $sum $less $more $part"
set $a=$a * 2
echo "$a"
set $neg=4 - $a
set $zero=0
set $inf=5 / $zero
echo "$neg"
echo "$inf"
