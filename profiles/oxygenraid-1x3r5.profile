# Infortrend OxygenRAID in 2008, the earlier candidate of the same test on the same host: three of sixteen SATA disks of
# 750 GB as one RAID-5 set.
#
# Published is that reading from it takes up to three times as long as from the 6140: what each disk gives is fitted to that.
include = se6140-1x3r5-fc
title = OxygenRAID, RAID 5 of 3 SATA disks

[disks]
seek = 8500us              # hardware: 750 GB, 7,200/min
rpm = 7200                 # hardware
rate = 32MB/s              # fitted: up to three times as long
capacity = 1500GB          # hardware
