"""The daemonset-controller."""
