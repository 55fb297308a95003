"""Structured merges: comparing, merging and cutting values by what their types say of lists and maps."""
