"""Quotas and their use in the tree of cohorts and ClusterQueues."""
