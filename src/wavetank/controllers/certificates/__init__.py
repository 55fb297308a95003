"""The controllers of CertificateSigningRequests: approving, signing, cleaning up."""
