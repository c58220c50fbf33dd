loadline --help
