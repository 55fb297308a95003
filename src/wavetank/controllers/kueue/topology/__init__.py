"""Topology-aware scheduling: which domains (racks, nodes) the pods of a workload get."""
