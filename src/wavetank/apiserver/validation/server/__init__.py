"""Kinds that configure the API server itself: flow control, API services, certificates."""
