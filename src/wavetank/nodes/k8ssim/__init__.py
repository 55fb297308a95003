"""K8sSim's own model of what happens to a pod on its node, second by second; docs/k8ssim.md tells all of it."""
