"""What a structural schema does to values: pruning, defaults, checks."""
