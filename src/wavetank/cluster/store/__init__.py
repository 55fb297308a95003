"""The versioned, watchable store of objects, and its errors."""
