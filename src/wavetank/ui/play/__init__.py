"""Finished runs for the page: their tables as columns, and a server of its own."""
