loadline dirtest ./nowhere --db none
