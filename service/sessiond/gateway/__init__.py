"""What channel gateways and operators may do: one use case a module, named as its rpc."""
