# EMC Celerra, one data mover in front of a Symmetrix, as dirtest and readtest saw it about 2001 from one client.
#
# Published are forty times of writing and forty of reading a tree (data/dirtest-2001.csv), the client and the network,
# and that the data mover has 512 MB and the Symmetrix 4 GB of memory.
#
# Fitted: the data mover's processor, which limits short files; a station that every byte passes; and what is seen of
# memory where trees outgrow it. Writing falls from about 26 to 17 MB/s where the tree is larger than 512 MB and what has
# meanwhile gone to the disks; reading from 0.7 GiB on, and slowly, as memory does that gives up its
# blocks at random (the least recently used of a tree read in order would fall at once).
title = EMC Celerra, one data mover, one client with gigabit Ethernet, 2001
extent = 32k               # hardware: four blocks of its file system

[protocol nfs]
cpu.* = 253us              # fitted
cpu.small = 104 2300000ps  # fitted: the first bytes of a file
latency = 100us            # hardware: gigabit Ethernet of the time, through one switch
mtu = 1500                 # hardware
headers = 78               # hardware: Ethernet, IP and TCP

[client]
count = 1                  # published
links = 1                  # published
link = 1g                  # published
think.* = 430us            # fitted: Java on a Sun E4500

[ports]
count = 1                  # published
rate = 1g                  # published

[cpu]
cores = 1                  # hardware
spread = exponential

[bus]
servers = 1
op = 826us                 # fitted
read = 35400KB/s           # fitted
write = 26600KB/s          # fitted
spread = exponential

[path]
servers = 1
read = 18400KB/s           # fitted: what the Symmetrix gives from its disks
write = 400MB/s            # hardware: what it takes into its memory
spread = exponential

[dram]
size = 726m                # fitted: the data mover's memory and its part of the Symmetrix's
replace = random
dirty-limit = 512m         # published: the data mover's memory
drain = 16670KB/s          # fitted

[log]
on = on
devices = 1
write = 300us              # hardware: the Symmetrix's memory, which keeps what it is given
metadata = on

[disks]
count = 32                 # hardware
raid = 1                   # hardware
per-set = 2                # hardware
seek = 6ms                 # hardware
rpm = 10000                # hardware
rate = 25MB/s              # hardware
queue-gain = 30%           # hardware
stripe = 64k
write-cache = on           # hardware: the Symmetrix's memory
capacity = 1500g           # hardware

[rig]
# Disks are proven with files of a few times the memory: less of it, so that it does not take a day.
nfs.stream-read-disk = dram=256m
nfs.read-4k-disk = dram=64m
nfs.stream-write-disk = dram=512m&dram.dirty-limit=64m
nfs.write-4k-disk = dram=512m&dram.dirty-limit=16m
