loadline export --help
