loadline mark --help
