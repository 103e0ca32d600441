"""`server`, `auth`, `limits` and `log`: the door to the outside."""

from hashlib import sha256
from typing import Literal

from pydantic import Field

from sessiond.settings.section import Many, Section
from sessiond.settings.values import GraceSeconds, Listen, Seconds, SecretText, Text, TokenHash


class TlsSettings(Section):
    """Certificates, as PEM files. Paths are relative to where the server is started."""

    cert: Text | None = Field(default=None, description="File of the server's certificate chain; needs `key`.")
    key: Text | None = Field(default=None, description="File of the certificate's private key.")
    client_ca: Text | None = Field(
        default=None, description="File of the authority whose client certificates are demanded; null: none demanded."
    )


class ServerSettings(Section):
    """The gRPC server."""

    listen: Listen = Field(default="127.0.0.1:50551", description="Address to serve on; port 0 takes a free port.")
    insecure: bool = Field(
        default=False, description="Whether an address beyond loopback may be served without both tokens and TLS."
    )
    tls: TlsSettings = Field(default=TlsSettings(), description="Certificates; none: no TLS.")
    stream_max_age_seconds: Seconds = Field(
        default=270, description="Age at which a wait is ended with STREAM_AGE, to be resumed (give or take 10 %)."
    )
    drain_grace_seconds: GraceSeconds = Field(default=20, description="Longest time from SIGTERM to the end.")
    max_work_age_seconds: float = Field(
        default=300,
        ge=0,
        le=86_400,
        description="Age of the oldest due work above which `sessiontools.work` is not healthy; 0: never.",
    )
    max_waits_per_caller: int = Field(default=1_000, ge=1, le=1_000_000, description="Open waits of one caller.")
    max_waits: int = Field(default=50_000, ge=1, le=1_000_000, description="Open waits of the whole server.")
    # At least twice the largest message, so that every message that may be stored can also arrive.
    max_request_bytes: int = Field(
        default=4_194_304, ge=2_097_152, le=67_108_864, description="Largest request that is answered."
    )
    max_metadata_bytes: int = Field(
        default=16_384, ge=4_096, le=1_048_576, description="Largest metadata of a request, as HTTP/2 counts it."
    )
    max_concurrent_streams: int = Field(
        default=100_000, ge=1, le=1_000_000, description="Calls under way on one connection; more wait at the client."
    )


class TokenSettings(Section):
    """One bearer token. It has exactly one of `token` and `tokenHash`."""

    name: Text = Field(
        description="Name of the caller in logs and run events; shared only by an old and a new token of one caller."
    )
    role: Literal["owner", "gateway", "runtime"] = Field(description="What its holder may do.")
    token: SecretText | None = Field(default=None, description="The token itself.")
    token_hash: TokenHash | None = Field(default=None, repr=False, description="Instead of the token: its SHA-256.")

    def digest(self) -> str | None:
        """The SHA-256 a presented token must have; None when neither form is given."""
        if self.token is None:
            return self.token_hash
        return sha256(self.token.get_secret_value().encode()).hexdigest()


class AuthSettings(Section):
    """Who may call."""

    tokens: Many[TokenSettings] = Field(
        default=(), description="Bearer tokens; none: loopback only, and every caller is the owner."
    )
    run_token_hours: float = Field(
        default=24, ge=1, le=720, description="Longest life of a run token; it ends with its lease in any case."
    )


class LimitsSettings(Section):
    """How much one caller or session may ask for."""

    message_bytes: int = Field(default=1_048_576, ge=1_024, le=1_048_576, description="Largest message that is stored.")
    queue_depth: int = Field(default=1_000, ge=1, le=1_000_000, description="Runs that may be queued in one session.")
    requests_per_second: float = Field(
        default=0, ge=0, le=1_000_000, description="Requests a second from one caller; 0: not limited."
    )
    request_burst: int = Field(
        default=100, ge=1, le=1_000_000, description="Requests that one caller may make at once, after a quiet time."
    )


class LogSettings(Section):
    """What the server writes to standard error."""

    format: Literal["auto", "human", "json"] = Field(
        default="auto", description="Lines for people or for machines; `auto`: for people on a terminal."
    )
    level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least level written.")
