run
run 60
run $runtime
run ${runtime}
psrun
psrun 10
psrun -10
psrun -10 60
psrun $period $runtime
sleep 5
sleep $s
warmup 30
warmup $w
debug 1
run
