# As se6140-1x3r5-fc, with other disks.
include = se6140-1x3r5-fc
title = StorageTek 6140, two RAID-5 sets of 3 FC disks

[disks]
count = 6                  # published
capacity = 560GB           # hardware
