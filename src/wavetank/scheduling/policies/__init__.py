"""Policies that come with wavetank, one file each; users pick them by name."""
