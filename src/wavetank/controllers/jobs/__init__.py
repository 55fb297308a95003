"""The job-controller and the ttl-after-finished-controller."""
