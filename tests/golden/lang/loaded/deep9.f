load deep10
