echo "round"
load circle2
