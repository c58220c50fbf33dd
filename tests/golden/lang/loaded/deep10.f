load deep11
