"""Batkube: kube-scheduler on Batsim's simulated time, compared with a real k3s cluster."""
