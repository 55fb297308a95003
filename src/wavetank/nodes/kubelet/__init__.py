"""The life of a pod on its node."""
