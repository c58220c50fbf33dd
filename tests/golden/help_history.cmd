loadline history --help
