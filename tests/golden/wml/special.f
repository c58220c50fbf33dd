echo "${scriptname} $(HOME) ${stats.iorate} ${rate}"
