"""Requests and responses without a transport: paths, bodies, content negotiation."""
