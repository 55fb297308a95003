"""Nodes of any instance type for pending pods, and their consolidation, by the rules of Karpenter."""
