eventgen
eventgen speed=5
eventgen rate=
eventgen rate 5
