"""What pods and nodes use, and what is told of it."""
