"""kube-scheduler's framework with its own names: queue, profiles, extension points, one file per plugin."""
