"""The files that Batsim writes."""
