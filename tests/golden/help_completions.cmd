loadline completions --help
