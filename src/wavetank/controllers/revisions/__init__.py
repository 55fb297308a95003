"""ControllerRevisions: the versions of a template that StatefulSets and DaemonSets remember."""
