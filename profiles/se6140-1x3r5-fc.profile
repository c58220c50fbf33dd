# Sun StorageTek 6140 in 2008: three of its disks with FC as one RAID-5 set, on an X4200 M2 with 20 GB of memory, of which
# the file system's cache had 10 GB, over one active path of 4 Gbit/s. The other five of its name differ in disks only.
#
# Published are the set-up and one reading: 385 MiB/s with two sets of three FC disks, called saturation of
# the link. 4 Gbit FC carries 413 MB/s of data behind frames and 8b/10b: with four streams the
# model comes to within a few per cent of that by itself. The SATA disks are fitted to nothing but the words "far
# behind".
#
# It read 40 GiB: `run multistreamread ADDRESS filesize=10g`. What multistreamread reads else fits into the cache.
title = StorageTek 6140, RAID 5 of 3 FC disks
extent = 128k              # published: the record size

[protocol local]
cpu.* = 20us               # hardware: a system call and the file system
cpu.small = 4k 1000ps      # hardware: one copy
cpu.bulk-read = 700ps      # hardware
cpu.bulk-write = 1500ps    # hardware: checksums too

[client]
count = 1                  # published
links = 0

[ports]
count = 0

[cpu]
cores = 4                  # published: two dual-core processors

[path]
servers = 1                # published: one active path
read = 413MB/s             # hardware: 4 Gbit FC
write = 413MB/s            # hardware
op = 30us                  # hardware: command and status

[dram]
size = 10g                 # published: the file system's cache
dirty-limit = 1g           # hardware: an eighth, rounded

[flash]
on = off

[log]
on = on
devices = 1
write = 400us              # hardware: the array's battery-backed memory, over the link
metadata = off

[disks]
count = 3                  # published
raid = 5                   # published
per-set = 3                # published
seek = 3500us              # hardware: 146 GB, 15,000/min
rpm = 15000                # hardware
rate = 95MB/s              # hardware: the mean of inner and outer tracks
queue-gain = 30%           # hardware
stripe = 128k              # published
write-cache = on           # published
capacity = 280GB           # hardware
