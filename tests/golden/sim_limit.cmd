printf 'include = nvme-local\n\n[dram]\nsize = 1g\n' >mine.profile; loadline io sim:mine.profile --db none
