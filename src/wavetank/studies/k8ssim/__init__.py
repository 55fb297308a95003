"""K8sSim: eleven algorithms of Kubernetes and thirteen of Volcano in twenty scenarios."""
