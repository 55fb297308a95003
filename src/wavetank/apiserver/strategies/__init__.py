"""What the server itself writes into an object when a client creates or changes it, per kind."""
