"""Why a command can't do its work, in one line for the person who started it."""


class Problem(Exception):  # noqa: N818 - read by people, not raised at callers
    """Printed as it is; the command ends with a non-zero exit code."""
