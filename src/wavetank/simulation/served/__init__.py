"""A cluster for `wavetank serve`."""
