load deep2
