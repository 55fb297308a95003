"""What the real server's Go types make of a document: which fields are printed, and how internal types are shown."""
