array-test --help
