"""CustomResourceDefinitions in effect: their controllers, and the kinds that they add."""
