"""The resource usage of pods and nodes, and the metrics that report it."""
