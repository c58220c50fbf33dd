loadline io null: --print-fio --seq --files 4 --read 100 --direct --time 10s --seed 9
