"""The clock of a served cluster: its speed, its own HTTP paths, and when it may advance."""
