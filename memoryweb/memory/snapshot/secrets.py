"""Looks for what could be a secret; in a large archive aside, while it is still being inflated.

Hashing and looking let go of the interpreter's lock, as inflating does: with a second core the
preview of 16 MiB takes hardly longer than inflating them.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from memoryweb.language.secrets import assignments, credentials, prefilter
from memoryweb.snapshots.reading import Entry

could_hold = prefilter.of([*credentials.BEGINNINGS, assignments.LABELS])


_BATCH = 1024 * 1024  # bytes; for less, another thread is not worth its while


class Sifter:
    """`suspects` are the names of those texts that are worth a closer look for secrets."""

    def __init__(self) -> None:
        self._aside = ThreadPoolExecutor(max_workers=1)
        self._waiting: dict[str, bytes] = {}
        self._size = 0
        self._looks: list[Future[set[str]]] = []

    def __enter__(self) -> "Sifter":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _raised: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._aside.shutdown(cancel_futures=True)

    def sha256(self, data: bytes) -> "Future[str]":
        if len(data) >= _BATCH:
            return self._aside.submit(_sha256, data)
        done: Future[str] = Future()
        done.set_result(_sha256(data))
        return done

    def passing(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self.look(entry.name, entry.data)
            yield entry

    def look(self, name: str, data: bytes) -> None:
        self._waiting[name] = data
        self._size += len(data)
        if self._size >= _BATCH:
            self._looks.append(self._aside.submit(_suspects, self._waiting))
            self._waiting, self._size = {}, 0

    def forget(self, names: Collection[str]) -> None:
        """Of no interest any more, unless it was looked at already."""
        for name in names:
            self._size -= len(self._waiting.pop(name, b""))

    def suspects(self) -> frozenset[str]:
        left = _suspects(self._waiting)
        return frozenset(left).union(*(look.result() for look in self._looks))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _suspects(texts: Mapping[str, bytes]) -> set[str]:
    """All at once: hardly ever is there one."""
    if not could_hold(b"\n".join(texts.values())):
        return set()
    return {name for name, data in texts.items() if could_hold(data)}
