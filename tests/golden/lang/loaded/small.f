set $loaded=1
usage "small"
