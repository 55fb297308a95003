"""What the API does with objects: get, list, watch, create, update, patch, delete."""
