"""Where the pods of a service are to be found."""
