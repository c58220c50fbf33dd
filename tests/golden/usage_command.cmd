loadline dirtset /tmp
