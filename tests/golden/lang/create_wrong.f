create
create threads
shutdown everything
