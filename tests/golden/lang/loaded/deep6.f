load deep7
