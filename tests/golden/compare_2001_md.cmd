loadline compare 2001-netapp840 2001-celerra --metric bytes --format md
