"""Simulated nodes under a real control plane."""
