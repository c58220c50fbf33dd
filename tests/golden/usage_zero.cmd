loadline io null: --streams 0 --db none
