# Sun Storage 7410, one head of 2009 with four six-core processors ("Istanbul").
#
# As sun7410-barcelona: the same shelves, log and flash. cpu.* and cpu.small are arithmetic again: 24 processors
# at 506,000 reads of 1 byte and at 404,000 of 4 KiB a second; cpu.bulk-read is cpu.small gone on with.
#
# Clients with two links of 1 Gbit/s could not have carried 3.06 GiB/s with two threads each, nor 2.03 GiB/s in reads of
# 128 KiB: they are taken to have 10 Gbit/s, which is not published. One pair of rates of [path] serves both
# networks, although the disk tests over InfiniBand had eight shelves and gave 4 to 6 % more.
# Nothing is published of SMB on this head: its costs are those of the other, as much less as NFS is.
#
#   nfs, from memory            20 clients, 2 threads each, 1 MiB
#   nfs, disks                  10 clients, 2 threads each, 128 KiB          ?clients=10&flash=off
#   nfs-rdma                    10 clients, 2 threads each                   ?protocol=nfs-rdma&disks=192
include = sun7410-barcelona
title = Sun Storage 7410, 4 x six-core, 2009

[protocol nfs]
cpu.* = 47430ns            # published: 24 processors, 506,000 reads of 1 byte a second
cpu.small = 4k 2925ps      # published: the same with 4 KiB, 404,000 a second
cpu.bulk-read = 2925ps     # published: cpu.small gone on with
cpu.bulk-write = 2925ps    # fitted: as reading
latency = 30us             # hardware: 10 gigabit Ethernet
link = 10g                 # hardware: see above

[protocol nfs-rdma]
cpu.* = 47430ns            # published: of nfs
cpu.small = 4k 500ps       # fitted: nothing is copied
cpu.bulk-read = 500ps      # fitted
cpu.bulk-write = 500ps     # fitted
latency = 10us             # hardware
clients = 10               # published
link = 16g                 # hardware: InfiniBand, double data rate
port = 6500m               # fitted: two cards with two ports, each card behind eight lanes of PCIe 1
mtu = 2048                 # hardware
headers = 42               # hardware
commit = 1m                # hardware: as nfs

[protocol smb]
cpu.* = 65650ns            # hardware: as nfs to the other head's
cpu.small = 4k 2925ps      # hardware: of nfs
cpu.bulk-read = 8900ps     # hardware: as nfs to the other head's
cpu.disk-read = 2160ps     # hardware: as nfs to the other head's
cpu.bulk-write = 8900ps    # hardware: as nfs to the other head's
latency = 30us             # hardware
link = 10g                 # hardware

[ports]
count = 4                  # published

[cpu]
cores = 24                 # published

[bus]
read = 3100m/s             # fitted: 3.06 GiB/s at the ports, headers included

[path]
read = 2100m/s             # fitted: 2.03 GiB/s with Ethernet, 2.11 with InfiniBand
write = 1900m/s            # fitted: 932 and 984 MiB/s, each byte written twice

[log]
devices = 8                # hardware: all that there is room for

[dram]
size = 240g                # published: 256 GB, less what the system itself takes

[rig]
nfs-rdma.stream-read-cache = disks=192                                       # published
nfs-rdma.stream-read-disk = disks=192&dram=256m&flash=off                    # published: disks
nfs-rdma.stream-write-disk = disks=192&dram=4g&flash=off&streams=20          # published: disks and threads
nfs-rdma.read-512-flash = clients=1&dram=1g
nfs-rdma.write-512-sync = clients=1
nfs-rdma.read-4k-disk = dram=64m&flash=off
nfs-rdma.write-4k-disk = dram=512m&dram.dirty-limit=16m&flash=off
