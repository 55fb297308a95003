"""wavetank."""
