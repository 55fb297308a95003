"""Hashes of pod templates and of revisions, as kube-controller-manager computes them."""
