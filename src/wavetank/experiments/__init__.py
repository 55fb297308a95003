"""Experiments: the document, its runs, what they recorded, and what it means."""
