"""A served cluster that outlives its server: a journal of its writes, from which it is made again."""
