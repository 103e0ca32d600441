"""What programs that execute runs may do: one use case a module, named as its rpc."""
