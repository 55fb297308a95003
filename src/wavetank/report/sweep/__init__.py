"""Tables and pictures of a finished sweep."""
