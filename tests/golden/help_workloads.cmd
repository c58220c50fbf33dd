loadline workloads --help
