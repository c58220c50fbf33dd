loadline targets sim sun7410-barcelone
