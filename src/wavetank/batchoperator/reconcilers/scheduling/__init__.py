"""Schedulings: which jobs of a queue go to which slots of a testbed, and when."""
