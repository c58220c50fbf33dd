# As se6140-1x3r5-fc, with other disks.
include = se6140-1x3r5-sata
title = StorageTek 6140, two RAID-5 sets of 3 SATA disks

[disks]
count = 6                  # published
capacity = 3000GB          # hardware
