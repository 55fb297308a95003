"""Kubernetes objects as light values, and the versioned, watchable store that holds them."""
