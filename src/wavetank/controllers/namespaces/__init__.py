"""The namespace-controller."""
