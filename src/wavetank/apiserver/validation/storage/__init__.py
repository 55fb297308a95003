"""Validation of volumes, claims, classes and drivers."""
