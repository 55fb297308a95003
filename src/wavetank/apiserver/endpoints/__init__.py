"""Paths that serve no stored objects: discovery, health, metrics, reviews, tokens."""
