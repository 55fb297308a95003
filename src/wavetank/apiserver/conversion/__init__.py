"""Conversion between the served and the stored versions of a kind."""
