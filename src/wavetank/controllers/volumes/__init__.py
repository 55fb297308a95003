"""The persistent volume, provisioning and ephemeral volume controllers."""
