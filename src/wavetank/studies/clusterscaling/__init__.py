"""Two node sets that the cluster autoscaler scales (Kubernetes-in-the-Loop, section 5.2)."""
