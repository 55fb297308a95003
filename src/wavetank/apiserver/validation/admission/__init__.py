"""Configurations of admission: webhooks and policies."""
