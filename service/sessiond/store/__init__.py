"""The one door to SQL."""
