"""The serviceaccount-controller and the root-ca-certificate-publisher-controller."""
