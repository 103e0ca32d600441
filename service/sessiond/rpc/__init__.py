"""The gRPC surface: requests become calls of use cases, their answers and refusals become responses and statuses."""
