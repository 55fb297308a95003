"""kube-scheduler's loop: informers, event handlers, scheduling, binding, failures."""
