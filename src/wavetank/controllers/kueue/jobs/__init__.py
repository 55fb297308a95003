"""What Workloads are made of: Jobs, pods and groups of pods."""
