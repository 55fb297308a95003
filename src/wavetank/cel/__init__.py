"""The Common Expression Language as Kubernetes uses it: expressions are read, checked by types and evaluated."""
