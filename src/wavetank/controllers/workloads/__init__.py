"""Controllers that keep the pods of Deployments, ReplicaSets, StatefulSets and DaemonSets alive."""
