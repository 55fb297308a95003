"""The event loop compiled with Numba, for the plain case."""
