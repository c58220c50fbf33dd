loadline array-test --help
