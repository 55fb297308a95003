"""Replays recorded timelines of the scheduling queue."""
