load deep16
