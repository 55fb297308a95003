"""The Experiment document."""
