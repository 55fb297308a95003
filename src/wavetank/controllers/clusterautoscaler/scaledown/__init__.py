"""Which nodes are removed, and how."""
