"""What starts Jobs by the clock and removes them after their end."""
