"""Transcripts as JSON lines: writing our own form, reading it and others, and the folder of the mirror (L9)."""
