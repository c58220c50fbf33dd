loadline show 2001-celerra
