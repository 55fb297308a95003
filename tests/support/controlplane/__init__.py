"""A real control plane for tests: etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback."""
