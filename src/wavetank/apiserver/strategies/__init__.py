"""The strategies of single kinds: what the server does with an object that is created, changed or deleted."""
