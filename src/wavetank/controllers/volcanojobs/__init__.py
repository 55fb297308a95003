"""Volcano's Jobs (batch.volcano.sh/v1alpha1): from a Job to its PodGroup and pods, and what becomes of them."""
