"""What a session reads and changes: tasks, jobs, queues, and the books of the nodes."""
