"""Schedulers of whole jobs in the order of a queue, with or without backfilling, as batch systems have them."""
