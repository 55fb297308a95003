"""What every plugin stands on: the table of nodes, the cycle, the queue."""
