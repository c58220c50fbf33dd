set $list=1
