"""Node state as arrays, updated by each bind and release."""
