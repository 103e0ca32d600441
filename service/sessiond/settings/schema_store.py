"""`store`, `transcripts` and `retention`: what is kept, where, and for how long."""

from pydantic import Field

from sessiond.settings.section import Section
from sessiond.settings.values import StoreUrl, Text


def sqlite_url(data_dir: str) -> str:
    """The database of a data folder."""
    return f"sqlite:///{data_dir.rstrip('/')}/sessiontools.db"


class StoreSettings(Section):
    """The database. Paths are relative to where the server is started."""

    data_dir: Text = Field(default=".sessiontools", description="Folder of the SQLite database and of transcripts.")
    url: StoreUrl = Field(
        default=sqlite_url(".sessiontools"),
        repr=False,
        description="SQLAlchemy URL of the database; by default `sessiontools.db` in `store.dataDir`.",
    )
    statement_seconds: float = Field(
        default=30, ge=1, le=3_600, description="Longest time of one statement on PostgreSQL; half of it for a lock."
    )
    pool_size: int = Field(default=10, ge=1, le=1_000, description="Connections to PostgreSQL; no meaning for SQLite.")
    busy_wait_microseconds: int = Field(
        default=1_000,
        ge=0,
        le=100_000,
        description="How long a server with one caller stays awake for PostgreSQL's answer; 0: it sleeps at once.",
    )


class TranscriptsSettings(Section):
    """The copy of each transcript as a JSONL file."""

    enabled: bool = Field(default=True, description="Whether it is written; by default with SQLite only.")


class RetentionSettings(Section):
    """How long things are kept."""

    request_id_hours: float = Field(
        default=24, ge=24, le=87_600, description="Hours in which a repeated `request_id` gets the first answer."
    )
    purge_after_days: float = Field(
        default=0, ge=0, le=36_500, description="Days from archiving to deletion for good; 0: nothing is deleted."
    )
