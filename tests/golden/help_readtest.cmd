loadline readtest --help
