eventgen rate=10
eventgen rate = $eventrate
eventgen rate=0
