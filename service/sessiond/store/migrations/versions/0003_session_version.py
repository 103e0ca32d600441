"""A version on every session's row, so that what was made from a row is known to be of its present state."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("version", sa.BigInteger(), server_default="0", nullable=False))
