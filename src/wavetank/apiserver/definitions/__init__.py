"""What the server itself does with objects: CustomResourceDefinitions in effect, and conditions that it sets."""
