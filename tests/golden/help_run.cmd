loadline run --help
