load deep12
