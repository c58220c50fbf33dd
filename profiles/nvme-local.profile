# A machine of today with one NVMe drive on four lanes of PCIe 4, its file system on the drive. To start from: nothing of
# it is published or fitted, each number is what data sheets of such parts say.
#
# The drive is told as 64 dies that work side by side: about 800,000 reads of 4 KiB a second, 7 GB/s on
# the lanes. Its own memory takes writes, as [log] when they are synchronous.
title = One NVMe drive in this machine
extent = 16k

[protocol local]
cpu.* = 2500ns             # hardware: a system call and the file system
cpu.small = 4k 100ps       # hardware: one copy
cpu.bulk-read = 60ps       # hardware
cpu.bulk-write = 60ps      # hardware

[client]
count = 1
links = 0

[ports]
count = 0

[cpu]
cores = 16                 # hardware

[path]
servers = 1
read = 7000MB/s            # hardware: four lanes of PCIe 4
write = 5000MB/s           # hardware
op = 1us                   # hardware

[dram]
size = 16g                 # hardware: what the page cache has
dirty-limit = 3g           # hardware: a fifth

[flash]
on = off

[log]
on = on
devices = 8                # hardware
write = 12us               # hardware: the drive's own memory
rate = 700MB/s             # hardware

[disks]
count = 64                 # hardware: dies
raid = 0
seek = 0:60us 50:70us 99:95us 100:400us      # hardware: from command to data
rpm = 0
rate = 800MB/s             # hardware: a channel
stripe = 16k
write-cache = on           # hardware
capacity = 1900GB          # hardware
