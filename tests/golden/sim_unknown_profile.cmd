loadline io sim:sun7410-barcelone --db none
