run 60s
psrun - 10
run -5
sleep
sleep "5"
warmup long
debug
psrun 10 -60
run $a/2
