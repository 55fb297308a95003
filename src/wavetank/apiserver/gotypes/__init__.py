"""The real server's internal types, which its error messages show."""
