loadline dirtest . --fsync maybe --db none
