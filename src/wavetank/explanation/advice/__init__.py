"""Says what would help a pending pod: changes of the pod or of the cluster, each tried with the scheduler's filters."""
