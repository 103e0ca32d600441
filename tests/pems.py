"""Certificates that a test makes for itself."""

from __future__ import annotations

import subprocess
from pathlib import Path


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A self-signed certificate for localhost, which is its own authority, and its key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = ["-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command, *names, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key
