"""The machines of a platform: power states, energy, routes between them."""
