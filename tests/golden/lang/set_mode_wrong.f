set mode quit
set mode quit sometimes
set mode noreuse
set
