set $a=
run 5
}
