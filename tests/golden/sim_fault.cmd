loadline io 'sim:nvme-local?slow-disk=0:x2' --db none
