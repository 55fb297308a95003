"""What every controller is made of: a queue of work, an index of pods by owner, the door for writes, the roster."""
