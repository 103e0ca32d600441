"""What an agent may do: one use case a module, named as its rpc."""
