"""TeaStore on five nodes around the world (Kubernetes-in-the-Loop, section 5.1)."""
