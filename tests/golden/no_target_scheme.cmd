loadline dirtest null --db none
