"""The runtimes inside the server: a model's `provider` chooses one of them."""
