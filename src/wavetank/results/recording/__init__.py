"""Recording a run while it happens."""
