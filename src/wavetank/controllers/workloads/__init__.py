"""What the controllers of workloads share: pod control, adoption, templates, conditions."""
