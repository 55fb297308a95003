"""Subresources: status, scale, log, and actions such as binding and eviction."""
