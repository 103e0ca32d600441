"""Credentials in text, masked as marked spans for those who read what is not theirs (H7).

Nothing here changes what is stored. Every search is linear in the length of the text: patterns begin with a literal or
at the start of a run, repeat possessively or boundedly, and never run twice over what they gave up on.
"""

from sessiond.model.redaction.content import redacted_message, redacted_value
from sessiond.model.redaction.texts import redact

__all__ = ["redact", "redacted_message", "redacted_value"]
