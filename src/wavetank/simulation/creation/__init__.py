"""How objects get into the store of a run: loaded, submitted, admitted, or created through the API."""
