"""A disk that is full when told: a small file system of its own where that may be mounted, else a bound on files.

Either way the server's writes fail and its reads go on. On a file system of its own the error is ENOSPC, as on a real
disk; the bound, which needs no rights, gives EFBIG.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE_MB = 256
CHUNK = bytes(1 << 20)


class SmallDisk:
    """Where a SQLite file lies."""

    def __init__(self, folder: Path, is_mounted: bool) -> None:
        self.folder = folder
        self._is_mounted = is_mounted
        self._filler = folder / "filler"

    @property
    def kind(self) -> str:
        """What stands for a full disk."""
        return "tmpfs, ENOSPC" if self._is_mounted else "RLIMIT_FSIZE, EFBIG"

    def fill(self, pid: int) -> None:
        """No more space for this process."""
        if self._is_mounted:
            self._fill()
        else:
            self._bound(pid, 0)

    def free(self, pid: int) -> None:
        """Space again."""
        if self._is_mounted:
            self._filler.unlink()
        else:
            self._bound(pid, resource.RLIM_INFINITY)

    def _fill(self) -> None:
        """To the last byte: large pieces first, then ever smaller ones."""
        file = os.open(self._filler, os.O_WRONLY | os.O_CREAT)
        piece = len(CHUNK)
        while piece:
            try:
                os.write(file, CHUNK[:piece])
            except OSError:  # this piece has no room any more
                piece //= 2
        os.close(file)

    def _bound(self, pid: int, size: int) -> None:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


@contextmanager
def small_disk(folder: Path, may_mount: bool = True) -> Iterator[SmallDisk]:
    """A disk in this new folder, for the time of the context."""
    folder.mkdir()
    is_mounted = may_mount and os.geteuid() == 0 and _mounts(folder)
    try:
        yield SmallDisk(folder, is_mounted)
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", folder], check=True)


def _mounts(folder: Path) -> bool:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0
