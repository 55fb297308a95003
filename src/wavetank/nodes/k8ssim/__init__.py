"""K8sSim's model of the lifecycle of a pod on its node, second by second; see docs/k8ssim.md."""
