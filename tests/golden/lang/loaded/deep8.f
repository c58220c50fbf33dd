load deep9
