"""A store that follows the objects of an API server, so that the actors and observers of a simulation can use them."""
