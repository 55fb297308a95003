"""STOMP, the protocol in which the interface was published."""
