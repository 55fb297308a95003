"""The scheduling queue: active, back-off and unschedulable pods, nominations, events."""
