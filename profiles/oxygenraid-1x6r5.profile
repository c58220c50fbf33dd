# As oxygenraid-1x3r5, with six disks in the set.
include = oxygenraid-1x3r5
title = OxygenRAID, RAID 5 of 6 SATA disks

[disks]
count = 6                  # published
per-set = 6                # published
capacity = 3750GB          # hardware
