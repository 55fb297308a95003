"""ControllerRevisions: the history of templates that StatefulSets and DaemonSets keep."""
