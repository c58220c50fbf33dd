loadline io 'sim:nvme-local?disks.rate=80m' --db none
