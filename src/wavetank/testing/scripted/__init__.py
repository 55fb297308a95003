"""A cluster for tests of controllers: objects, metrics and faults by a script, in virtual time."""
