loadline dirtest --help
