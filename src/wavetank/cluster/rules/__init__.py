"""What Kubernetes derives from objects: priorities, readiness, volume matches, cron schedules."""
