"""What the tests of the clients say at their end."""

from __future__ import annotations

import pytest

from tests.clients.languages import left_out


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which clients were not tested, and why."""
    for line in left_out():
        terminalreporter.write_line(line)
