"""The replicaset-controller."""
