loadline baseline --help
