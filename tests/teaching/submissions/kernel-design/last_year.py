"""Numbers and words copied from the notebook of 2025."""

LOSES = {"witnesses": 1, "words": 1, "place": 1, "worth": 1, "both": 1, "climbed": 1}

witnesses = {
    "share": (["market", "raam", "eat"], [-0.7473, 0.4698, 0.4698]),
    "half": (["pepper", "kerk", "poor"], [-0.7071, 0.5, 0.5]),
    "most": (["street", "forest", "eat"], [-0.7187, 0.486, 0.4973]),
}
powers_2 = [1.69502, 0.78357]
right_3 = [0.661667, 0.64, 0.591667]
worth_4 = [0.033929, 0.026786]
wrong_5 = [0.368333, 0.366667]
climbed_6 = [0.61943, 0.54534, 0.21, 0.01551]
