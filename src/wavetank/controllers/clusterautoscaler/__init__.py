"""The cluster autoscaler: adds nodes for pods that fit nowhere, and removes nodes that are not needed."""
