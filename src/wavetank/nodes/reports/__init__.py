"""What kubelets report: pod and node status, leases."""
