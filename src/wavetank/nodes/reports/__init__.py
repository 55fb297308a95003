"""What kubelets report: the status of pods and nodes, and leases."""
