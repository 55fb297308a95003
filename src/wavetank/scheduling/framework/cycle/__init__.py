"""One scheduling attempt, from PreFilter to the choice of the host."""
