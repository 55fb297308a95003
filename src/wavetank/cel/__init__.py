"""The Common Expression Language as the rules of custom kinds use it: read, checked by types, evaluated."""
