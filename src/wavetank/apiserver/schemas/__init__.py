"""The schemas of built-in documents, from the generated table."""
