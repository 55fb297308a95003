"""Node groups and node pools of a run: their machines, and what their autoscalers know of the cluster."""
