"""The HTML page and the data embedded in it."""
