load deep17
