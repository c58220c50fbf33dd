loadline import --help
