"""The resource claim controller."""
