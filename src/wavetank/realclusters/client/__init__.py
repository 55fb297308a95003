"""An asynchronous client of an API server: requests, lists and watches over HTTP/1.1."""
