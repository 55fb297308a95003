"""What comes to its end because something else does: namespaces, dependents, pods that nobody runs."""
