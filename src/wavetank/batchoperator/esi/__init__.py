"""The External Scheduler Interface: REST, STOMP and streams, a client, a page, and schedulers as policies."""
