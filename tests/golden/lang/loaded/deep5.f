load deep6
