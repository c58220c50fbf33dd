load deep8
