# Sun Storage 7410, one head of 2008 with four quad-core processors ("Barcelona").
#
# Published are fourteen ceilings (data/sun7410-limits.csv) with the clients, threads and working sets of
# specs that come with them, and the hardware; all of it is measured at the head.
#
# cpu.* and cpu.small are arithmetic: 16 processors at 281,000 reads of 1 byte and at 191,000 of 4 KiB a second.
# cpu.bulk-read is NOT fitted to the published 67 % of the processors at 1.90 GiB/s, which therefore says something
# about the model (it comes out at about 60 %): it is the mean of what a byte costs in small reads on this head (6550)
# and on the later one (2925), both by the arithmetic above.
#
# The two trunked links of a client are told as one of twice the rate. What each test used of the whole:
#   nfs, from memory            20 clients, 2 threads each, 1 MiB            ?clients=20
#   nfs, disks                  10 clients, 2 threads each, 128 KiB          ?clients=10&flash=off
#   smb                         20 clients, 4 threads each, 1 MiB            ?protocol=smb&ports=4
# Their flash kept nothing of streams, this one does: whoever streams from disks leaves it off.
title = Sun Storage 7410, 4 x quad-core, 2008
extent = 128k              # published: the record size

[protocol nfs]
cpu.* = 56940ns            # published: 16 processors, 281,000 reads of 1 byte a second
cpu.small = 4k 6550ps      # published: the same with 4 KiB, 191,000 a second
cpu.bulk-read = 4740ps     # published: the mean of both heads' cpu.small, see above
cpu.bulk-write = 4740ps    # fitted: as reading
latency = 100us            # hardware: gigabit Ethernet, interrupts gathered
mtu = 9000                 # published
headers = 90               # published: about 1 % at this length
commit = 1m                # hardware: clients of NFS commit what they write, default mount

[protocol smb]
cpu.* = 78810ns            # published: 16 processors, 203,000 reads of 1 byte a second
cpu.small = 4k 6550ps      # published: of nfs
cpu.bulk-read = 14420ps    # fitted: 1.03 GiB/s from memory
cpu.disk-read = 3500ps     # fitted: 849 MiB/s from disks
cpu.bulk-write = 14420ps   # fitted: as reading
latency = 100us            # hardware
mtu = 9000                 # published
headers = 90               # published

[client]
count = 20                 # published
links = 1                  # published: two of 1 Gbit/s, trunked
link = 2g                  # published

[ports]
count = 2                  # published
rate = 10g                 # published

[cpu]
cores = 16                 # published

[bus]
read = 1926m/s             # fitted: 1.90 GiB/s at the ports, headers included

[path]
read = 1055m/s             # fitted: 1.04 GiB/s at the ports, headers included
write = 1240m/s            # fitted: 620 MiB/s, each byte written twice
mirrored = on             # published

[dram]
size = 118g                # published: 128 GB, less what the system itself takes
dirty-limit = 4g           # fitted

[flash]
on = on
size = 600g                # published: six of 100 GB
devices = 6                # published
read = 0:60us 5:68us 95:199us 100:215us      # fitted: 128 to 260 us at the head, its processor included

[log]
on = on
devices = 4                # hardware
write = 0:69us 5:73us 95:118us 100:122us     # fitted: 137 to 181 us at the head, its processor included
rate = 141m/s              # fitted: 563 MiB/s over NFS, whose clients commit
metadata = on             # hardware

[disks]
count = 140                # published: six shelves of 24, four spares
raid = 1                   # published
per-set = 2                # published
seek = 8500us              # hardware: 1 TB, 7,200/min
rpm = 7200                 # hardware
rate = 85MB/s              # hardware
queue-gain = 30%           # hardware
capacity = 70000g          # published

[rig]
# Disks are proven with files of a few times the memory: less of both, so that it does not take a day. Of a stream
# that writes, the clients commit: as many of them as then, since with more the log gathers commits.
nfs.stream-read-disk = clients=10&dram=256m&flash=off              # published: clients
nfs.stream-write-disk = clients=10&dram=4g&flash=off&streams=20    # published: clients and threads
nfs.read-512-flash = clients=1&dram=1g                             # published: one client
nfs.write-512-sync = clients=1                                     # published: one client
nfs.read-4k-disk = dram=64m&flash=off
nfs.write-4k-disk = dram=512m&dram.dirty-limit=16m&flash=off
smb.stream-read-cache = ports=4                                    # published
smb.stream-read-disk = ports=4&dram=256m&flash=off                 # published: ports
smb.stream-write-disk = ports=4&dram=4g&flash=off                  # published: ports
smb.read-512-flash = clients=1&dram=1g
smb.write-512-sync = clients=1
smb.read-4k-disk = dram=64m&flash=off
smb.write-4k-disk = dram=512m&dram.dirty-limit=16m&flash=off
