loadline quick --help
