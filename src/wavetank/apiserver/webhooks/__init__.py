"""Calls of webhooks, for admission and for conversion."""
