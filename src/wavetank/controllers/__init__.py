"""Controllers that bring the cluster to what its objects say."""
