"""What a change would do to a cluster."""
