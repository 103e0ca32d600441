"""Between the contract's messages and the model's: one module a noun."""
