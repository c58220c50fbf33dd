# As se6140-1x3r5-fc, with other disks.
include = se6140-1x3r5-fc
title = StorageTek 6140, RAID 5 of 3 SATA disks

[disks]
seek = 8500us              # hardware: 750 GB, 7,200/min
rpm = 7200                 # hardware
rate = 45MB/s              # fitted: "far behind", through the array's bridges
capacity = 1500GB          # hardware
