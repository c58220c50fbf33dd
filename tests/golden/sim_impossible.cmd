loadline io 'sim:se6140-1x3r5-fc?disks=4' --db none
