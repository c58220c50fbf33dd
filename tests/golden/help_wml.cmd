loadline wml --help
