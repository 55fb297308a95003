"""Validation of the core group and rbac: nodes, namespaces, configuration, quotas, events, roles."""
