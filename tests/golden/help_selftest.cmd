loadline selftest --help
