"""Differences between two results, and which plugin caused them."""
