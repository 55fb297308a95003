"""The statefulset-controller."""
