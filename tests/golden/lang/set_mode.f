set mode quit timeout
set mode quit firstdone
set mode quit alldone
set mode nousestats
set $mode=quit
