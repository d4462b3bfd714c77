"""The audit log to take along: JSONL, which can be checked without memoryweb, and CSV to read."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from memoryweb.audit.checkpoints import Checkpoint
from memoryweb.audit.models import Event
from memoryweb.audit.queries import oldest_first
from memoryweb.web.access import TeamRequest
from memoryweb.web.audit.events import is_open, line_of, names_of

FORMAT = "memoryweb-audit-1"  # verify_export.py reads it
_TITLES = (
    *("seq", "at", "who", "role", "action", "what", "outcome", "reason", "about"),
    *("revision", "run", "ip", "user_agent", "hash"),
)


def jsonl(
    request: TeamRequest,
    events: "QuerySet[Event]",
    asked: Mapping[str, Any],
    checkpoint: Checkpoint,
) -> Iterator[str]:
    head = {
        "format": FORMAT,
        "team": str(request.visit.team.pk),
        "name": request.visit.team.name,
        "filter": {name: str(value) for name, value in asked.items()},
        "events": events.count(),
    }
    yield _line(head)
    for event in oldest_first(events):
        yield _line(
            {
                "seq": event.seq,
                "previous": bytes(event.previous).hex(),
                "hash": bytes(event.hash).hex(),
                "canonical": bytes(event.canonical).decode(),
                "labels": {
                    label.name: {"salt": bytes(label.salt).hex(), "text": label.text}
                    for label in event.labels.all()
                    if label.salt is not None and is_open(request.visit, event, label.name)
                },
            }
        )
    yield _line({"checkpoint": checkpoint.told()})


def as_csv(request: TeamRequest, events: "QuerySet[Event]") -> Iterator[str]:
    """UTF-8 with a mark in front, so that spreadsheets read it as such."""
    names = names_of(request.visit.team)
    yield "\ufeff" + _row(_TITLES)
    for event in oldest_first(events):
        line = line_of(request, event, names)
        about = "; ".join(line["labels"])
        yield _row(
            (
                *(event.seq, event.at.isoformat(), line["actor"], line["role"], event.action),
                *(line["sentence"], event.outcome, line["reason"], about),
                *(event.target_revision or "", event.run_id or "", event.ip, event.user_agent),
                bytes(event.hash).hex(),
            )
        )


def _line(said: Mapping[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"


def _row(cells: Iterable[object]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([_harmless(str(cell)) for cell in cells])
    return written.getvalue()


def _harmless(cell: str) -> str:
    """A spreadsheet runs what begins like a formula."""
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
