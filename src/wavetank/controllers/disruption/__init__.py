"""The disruption-controller: the status of PodDisruptionBudgets."""
