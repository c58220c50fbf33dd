loadline io sim: --db none
