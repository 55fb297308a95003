"""External schedulers that are policies: in the process of a simulation, in its virtual time."""
