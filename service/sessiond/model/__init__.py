"""What the service is about: data and rules, no I/O."""
