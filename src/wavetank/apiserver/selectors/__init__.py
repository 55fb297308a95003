"""Label and field selectors as clients write them in queries."""
