"""The scheduler extender: which pod of an application goes into which slot."""
