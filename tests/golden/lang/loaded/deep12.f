load deep13
