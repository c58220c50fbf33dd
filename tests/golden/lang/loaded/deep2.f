load deep3
