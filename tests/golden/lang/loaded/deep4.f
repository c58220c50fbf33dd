load deep5
