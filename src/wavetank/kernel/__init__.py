"""The virtual clock, its timers and seeded randomness; knows nothing of Kubernetes."""
