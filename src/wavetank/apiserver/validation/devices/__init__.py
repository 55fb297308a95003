"""Validation of the group resource.k8s.io."""
