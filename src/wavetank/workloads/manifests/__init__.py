"""Kubernetes manifests as workloads."""
