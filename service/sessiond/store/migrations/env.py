"""Alembic's way in: it is given an open, locked transaction and stays inside it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=False)
context.run_migrations()
