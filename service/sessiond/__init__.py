"""The session tools server."""
