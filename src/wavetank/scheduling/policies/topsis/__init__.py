"""TOPSIS: the node that is nearest to the best of all values and farthest from the worst."""
