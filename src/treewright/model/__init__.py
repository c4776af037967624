"""What a model file is, and the models that come with the package."""
