load circle
