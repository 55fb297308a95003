"""The metrics of a run."""
