loadline io 'sim:nvme-local?disk=3' --db none
