loadline clean --help
