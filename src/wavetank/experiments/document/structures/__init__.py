"""The structures of the Experiment document: every field with its type, unit, default and meaning."""
