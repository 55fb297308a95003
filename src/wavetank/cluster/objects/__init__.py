"""Kubernetes objects as Python objects."""
