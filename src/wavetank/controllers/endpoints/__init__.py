"""The endpoints-controller and the endpointslice-controller."""
