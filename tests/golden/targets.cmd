loadline targets
