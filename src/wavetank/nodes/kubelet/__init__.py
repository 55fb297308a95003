"""The kubelets: the lifecycle of pods on their nodes."""
