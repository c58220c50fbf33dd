# As se6140-1x3r5-fc, with other disks.
include = se6140-1x3r5-sata
title = StorageTek 6140, RAID 5 of 6 SATA disks

[disks]
count = 6                  # published
per-set = 6                # published
capacity = 3750GB          # hardware
