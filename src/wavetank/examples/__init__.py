"""Programs that are examples and of use by themselves."""
