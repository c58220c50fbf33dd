loadline io /srv/data --print-fio --files 100 --dist zipf:1 --rate 5000/s --arrival poisson --block 4k:60,64k:40 --sync data --compress 2:1 --repeat 3
