"""Which node groups grow, and by how much."""
