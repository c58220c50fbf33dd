printf '[disks]\ncount = many\n' >base.profile; printf 'include = base.profile\n' >mine.profile; loadline io sim:mine.profile --db none
