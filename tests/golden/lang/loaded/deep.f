load deep1
