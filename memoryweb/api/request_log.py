"""The calls of each token, for whoever finds out why a client fails: when, which operation, how it
was answered. No address as it was called, no query, no text: those may tell of people.

Equal calls are one row a minute and process, so that a call costs no statement of its own. A row's
`times` counts those since the row before.
"""

import json
import logging
from datetime import datetime, timedelta
from threading import Lock
from typing import NamedTuple
from uuid import UUID

from django.db import DatabaseError, transaction
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django_scopes import scope

from memoryweb.api.auth import Caller
from memoryweb.api.models import keep_call
from memoryweb.api.problems import CONTENT_TYPE

_EVERY = timedelta(minutes=1)
_MOST_KINDS = 10_000  # that a process remembers

log = logging.getLogger(__name__)


class _Kind(NamedTuple):
    token: UUID
    method: str
    route: str
    status: int
    code: str


class _Tally:
    """What this process has not written yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[_Kind, tuple[datetime, int]] = {}

    def due(self, kind: _Kind, now: datetime) -> int:
        """How many calls of that kind a row has to tell of now; 0 if it can wait."""
        with self._lock:
            written, waiting = self._known.get(kind, (None, 0))
            if written is not None and now - written < _EVERY:
                self._known[kind] = written, waiting + 1
                return 0
            if len(self._known) >= _MOST_KINDS:
                self._known.clear()
            self._known[kind] = now, 0
            return waiting + 1


_tally = _Tally()


def note(request: HttpRequest, response: HttpResponseBase, caller: Caller) -> None:
    match, now = request.resolver_match, timezone.now()
    route = match.route if match else ""
    status = response.status_code
    kind = _Kind(caller.token.pk, request.method or "", route, status, _code(response))
    try:
        if not (times := _tally.due(kind, now)):
            return
        with transaction.atomic(), scope(team=caller.team):
            answered = kind._asdict() | {"token": caller.token}
            keep_call(**answered, at=now, times=times)
    except DatabaseError:  # the call itself is over: its answer must not suffer
        log.warning("A call could not be logged.")


def _code(response: HttpResponseBase) -> str:
    content = getattr(response, "content", b"")
    if response.headers.get("Content-Type") != CONTENT_TYPE or not content:
        return ""
    return str(json.loads(content).get("code", ""))[:40]
