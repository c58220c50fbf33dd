# NetApp F840, one node, as dirtest and readtest saw it about 2001 from one client.
#
# Published are forty times of writing and forty of reading a tree (data/dirtest-2001.csv), the client and the network;
# of the filer the model, its memory and its single processor. Nothing is known of the mount but NFSv3 over TCP.
#
# Three things are fitted to the eighty times together: what the client needs between its calls (short files take the
# same time whatever their length, in reading as in writing: a limit of the client's), and a station that every byte
# passes, with a part for each call. Its two rates are the plateaus of the two curves.
title = NetApp F840, one client with gigabit Ethernet, 2001
extent = 64k               # hardware: sixteen blocks of its file system

[protocol nfs]
cpu.* = 107us              # fitted
latency = 100us            # hardware: gigabit Ethernet of the time, through one switch
mtu = 1500                 # hardware
headers = 78               # hardware: Ethernet, IP and TCP

[client]
count = 1                  # published
links = 1                  # published
link = 1g                  # published
think.* = 3330us           # fitted: Java on a Sun E4500
cpu.small = 14k 270000ps   # fitted: the first bytes of a file, before read-ahead and write-behind help

[ports]
count = 1                  # published
rate = 1g                  # published

[cpu]
cores = 1                  # hardware
spread = exponential

[bus]
servers = 1
op = 482us                 # fitted
read = 41600KB/s           # fitted
write = 29900KB/s          # fitted
spread = exponential

[dram]
size = 2700m               # published: 3 GB, less what the system itself takes
dirty-limit = 64m          # hardware: half of the battery-backed memory at a time

[log]
on = on
devices = 1
write = 60us               # hardware: battery-backed memory
metadata = on

[disks]
count = 56                 # hardware: four shelves
raid = 5                   # hardware: RAID 4, which spreads parity no wider
per-set = 14               # hardware
seek = 5500us              # hardware
rpm = 10000                # hardware
rate = 25MB/s              # hardware
queue-gain = 30%           # hardware
stripe = 64k
write-cache = on          # hardware: whole stripes are written, wherever they are free
capacity = 1500g           # hardware

[rig]
# Disks are proven with files of a few times the memory: less of it, so that it does not take a day.
nfs.stream-read-disk = dram=256m
nfs.read-4k-disk = dram=64m
nfs.stream-write-disk = dram=512m&dram.dirty-limit=64m
nfs.write-4k-disk = dram=512m&dram.dirty-limit=16m
