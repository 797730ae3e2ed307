"""Numbers copied from the notebook of 2025."""

LOSES = {"enough": 1, "words": 1, "balanced": 1, "worth": 1, "verdict": 2, "road": 1}

enough = [9, 25]
words = {"Ada": "new", "Ben": "own", "Cleo": "length", "Dan": "right", "Eve": "order", "Fay": "old"}
shares_4 = [0.33813865, 0.40570007]
worth = [0.67666667, 0.49166667]
wrong_6 = [[0.034, 0.118], [0.066, 0.16], [0.06, 0.116], [0.088, 0.126], [0.068, 0.128], [0.064, 0.156]]
verdict = "kernel"
slower = [8, 11]
faster = [1, 6]
