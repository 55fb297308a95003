"""The job controller of Volcano's controller manager (batch.volcano.sh/v1alpha1)."""
