"""An exchange that no session asked for is found by nobody as such, so it has no place in that index."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ASKED = sa.text("state = 'open' AND requester_session IS NOT NULL")


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
