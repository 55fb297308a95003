"""A client of any API server that a kubeconfig names."""
