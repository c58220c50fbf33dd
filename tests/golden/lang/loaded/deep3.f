load deep4
