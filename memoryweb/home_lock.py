"""Who is at work in MEMORYWEB_HOME: the operating system's lock on a file there.

It goes with the last process that holds it, also after `kill -9`. Web and workers share it;
`start` claims it alone, so that two of them never serve one home.
"""

import fcntl
import os
from contextlib import suppress

from django.conf import settings


def share() -> None:
    """This process is at work here until it ends, however it ends."""
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


def _opened() -> int:
    return os.open(settings.HOME / "lock", os.O_CREAT | os.O_RDWR, 0o600)
