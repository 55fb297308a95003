"""Authorization: what users may do."""
