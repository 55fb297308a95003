"""Pictures of results, drawn by matplotlib."""
