"""How many nodes a cluster needs."""
