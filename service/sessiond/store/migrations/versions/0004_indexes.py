"""Indexes of what is looked for: exchanges that a session asked for, and deliveries that wait, by channel and age."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ASKED = sa.text("state = 'open' AND requester_session IS NOT NULL")
_RESTING = sa.text("state IN ('pending', 'unconfirmed')")


def upgrade() -> None:
    op.drop_index("exchanges_open_by_requester_idx", "exchanges")
    op.create_index(
        "exchanges_open_by_requester_idx",
        "exchanges",
        ["requester_session"],
        unique=False,
        sqlite_where=_ASKED,
        postgresql_where=_ASKED,
    )
    op.create_index(
        "deliveries_resting_by_channel_idx",
        "deliveries",
        ["route_channel", "created_ms"],
        unique=False,
        sqlite_where=_RESTING,
        postgresql_where=_RESTING,
    )
