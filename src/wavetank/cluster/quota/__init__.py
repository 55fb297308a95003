"""What objects use of the quotas of their namespace."""
