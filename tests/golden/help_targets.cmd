loadline targets --help
