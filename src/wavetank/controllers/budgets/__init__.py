"""How many pods may be disrupted at a time."""
