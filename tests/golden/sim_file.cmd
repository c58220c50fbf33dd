printf '# mine\ninclude = nvme-local\n[dram]\nsize = 8g\nreplce = random\n' >mine.profile; loadline io sim:mine.profile --db none
