loadline io --help
