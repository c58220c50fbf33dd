loadline compare --help
