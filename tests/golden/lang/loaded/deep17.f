load deep18
