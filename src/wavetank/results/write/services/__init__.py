"""The files of a run with services."""
