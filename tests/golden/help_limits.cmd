loadline limits --help
