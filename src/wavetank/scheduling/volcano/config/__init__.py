"""volcano-scheduler.conf: which actions run, and which plugins decide in which tier."""
