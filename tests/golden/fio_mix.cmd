loadline io /srv/data --print-fio
