loadline list --help
