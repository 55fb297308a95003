"""Paths that are not objects: discovery, health, metrics, reviews, tokens."""
