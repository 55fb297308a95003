"""Controllers of nodes: node-lifecycle, taint-eviction, pod-garbage-collector and ttl."""
