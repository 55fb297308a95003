"""The controllers of ReplicaSets and ReplicationControllers."""
