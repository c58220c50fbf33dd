load deep15
