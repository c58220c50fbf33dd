# As se6140-1x3r5-fc, with other disks.
include = se6140-1x3r5-fc
title = StorageTek 6140, RAID 5 of 6 FC disks

[disks]
count = 6                  # published
per-set = 6                # published
capacity = 700GB           # hardware
