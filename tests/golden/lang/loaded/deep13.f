load deep14
