"""What a session reads and changes: tasks, jobs, queues, and the resources of nodes."""
