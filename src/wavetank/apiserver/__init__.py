"""The Kubernetes HTTP API over the store."""
