loadline show --help
