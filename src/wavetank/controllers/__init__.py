"""The built-in controllers, which do what kube-controller-manager does. `descriptors` is the table of all of them."""
