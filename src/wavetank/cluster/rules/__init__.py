"""What Kubernetes derives from objects: priorities, readiness, resizes, volume matches."""
