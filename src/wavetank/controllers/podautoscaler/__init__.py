"""The HorizontalPodAutoscaler controller of kube-controller-manager 1.35, decision for decision."""
