# A Linux server of today with four NVMe drives as RAID 10 behind one port of 10 Gbit/s, NFSv3 over TCP, and eight clients.
# To start from: nothing of it is published or fitted, each number is what such parts are known for.
title = Linux NFS server, 10 Gbit/s, four NVMe drives
extent = 16k

[protocol nfs]
cpu.* = 14us               # hardware: one call of the kernel's server, interrupts too
cpu.small = 4k 500ps       # hardware
cpu.bulk-read = 250ps      # hardware
cpu.bulk-write = 400ps     # hardware
latency = 25us             # hardware: one switch, interrupts gathered
mtu = 1500                 # hardware
headers = 78               # hardware: Ethernet, IP and TCP

[client]
count = 8
links = 1
link = 10g                 # hardware
think.* = 4us              # hardware

[ports]
count = 1
rate = 10g                 # hardware

[cpu]
cores = 16                 # hardware

[path]
servers = 4                # hardware: one for each drive
read = 3500MB/s            # hardware: four lanes of PCIe 3
write = 2500MB/s           # hardware
op = 2us                   # hardware
mirrored = on

[dram]
size = 48g                 # hardware: 64 GB, less what the system takes
dirty-limit = 10g          # hardware: a fifth

[flash]
on = off

[log]
on = on
devices = 4                # hardware
write = 25us               # hardware: the drives' own memory
rate = 700MB/s             # hardware
metadata = on

[disks]
count = 128                # hardware: 32 dies a drive
raid = 1
per-set = 2
seek = 0:65us 50:80us 99:120us 100:500us     # hardware: from command to data
rpm = 0
rate = 700MB/s             # hardware: a channel
stripe = 16k
write-cache = on           # hardware
capacity = 3800GB          # hardware

[rig]
# Disks are proven with files of a few times the memory: less of it, so that it does not take a day.
nfs.stream-read-disk = dram=256m
nfs.stream-write-disk = dram=4g
nfs.read-4k-disk = dram=64m
nfs.write-4k-disk = dram=512m&dram.dirty-limit=16m
