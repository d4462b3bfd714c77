"""Who is at work in MEMORYWEB_HOME: the operating system's lock on a file there.

It goes with the last process that holds it, also after `kill -9`. Web and workers share it;
`start` claims it alone, so that two of them never serve one home.
"""

import fcntl
import os
import re
from contextlib import suppress
from pathlib import Path

from django.conf import settings


class HalfRestored(Exception):
    """A restore was cut short: what it would have taken out again is still there."""


def restoring() -> Path:
    """Stands there until a restore has ended, for all hosts."""
    return Path(settings.SHARED / "restoring")


def check() -> None:
    """Raises HalfRestored."""
    if restoring().exists():
        said = f"A restore of {settings.SHARED} goes on, or was cut short"
        raise HalfRestored(f"{said}: run “manage.py restore” again first.")


def share() -> None:
    """This process is at work here until it ends, however it ends. Raises HalfRestored."""
    check()
    with suppress(OSError):  # some network file systems have no locks
        fcntl.flock(_opened(), fcntl.LOCK_SH)


def claim() -> bool:
    """From now on this process is at work here, alone so far. False: others are already."""
    handle = _opened()
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Letting others in gives the lock away for a moment: whoever took it then has won.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return False
    os.set_inheritable(handle, True)
    return True


def holders() -> list[int]:
    """Which processes to stop so that nobody is at work here: those that started the ones that
    hold the lock. Only Linux tells; empty elsewhere, and where nobody is."""
    lock = os.path.realpath(settings.HOME / "lock")
    found = {pid for pid in map(int, filter(str.isdecimal, _listed("/proc"))) if _holds(pid, lock)}
    # honcho and what it forks end with the processes that they started, and not by SIGTERM.
    at_work = (pid for pid in found - {os.getpid()} if b"honcho" not in _command(pid))
    return sorted({_starter(pid) for pid in at_work})


def _holds(pid: int, lock: str) -> bool:
    folder = f"/proc/{pid}/fd"
    for number in _listed(folder):
        with suppress(OSError):
            if os.readlink(f"{folder}/{number}") == lock:
                return True
    return False


def _starter(pid: int) -> int:
    """The outermost of ours that it comes from: one stopped alone would be started again."""
    with suppress(OSError, ValueError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text()
        parent = int(stat.rpartition(")")[2].split()[1])
        if re.search(rb"granian|memoryweb\.serve|manage\.py", _command(parent)):
            return _starter(parent)
    return pid


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _listed(folder: str) -> list[str]:
    with suppress(OSError):  # ended meanwhile, somebody else's, or no Linux
        return os.listdir(folder)
    return []


def _opened() -> int:
    return os.open(settings.HOME / "lock", os.O_CREAT | os.O_RDWR, 0o600)
