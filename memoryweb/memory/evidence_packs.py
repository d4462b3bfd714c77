"""The evidence pack: what was held of a statement at a moment, to be checked without memoryweb."""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import transaction
from django.db.models import Q

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Owner
from memoryweb.audit import keys, verify_export
from memoryweb.audit.export import segment
from memoryweb.audit.record import Actor, Entry, record, target
from memoryweb.memory.lines.revisions import Past, author_name, files_at
from memoryweb.memory.models import Evidence, Fact, Injection
from memoryweb.memory.prompt import prompts_with
from memoryweb.memory.statements.listing import Held, held_in
from memoryweb.memory.visible.readable import Look, To, cited

_IN_MEMORY = 1024 * 1024  # bytes of a pack; what is larger waits in a file


@dataclass(frozen=True)
class Belief:
    """What was held at a moment of the same thing as a statement, and in which prompts."""

    fact: Fact
    text: str
    lines: list[tuple[Held, str]]
    prompts: list[Injection]


@dataclass(frozen=True)
class Auditor:
    """Who makes a pack. `mine`: whose words the log tells them; `note_read` is told what they read
    of somebody's."""

    team: Team
    actor: Actor
    now: datetime
    mine: Collection[UUID]
    reads: Callable[[Owner | None], bool]
    note_read: Callable[[Owner | None, str, object], None] = lambda *_what: None

    @property
    def filename(self) -> str:
        return f"evidence-{self.team.slug}-{self.now:%Y-%m-%d}.zip"


def belief(
    fact: Fact, at: datetime, there: Sequence[Past], which: Q, since: datetime | None = None
) -> Belief:
    """`there`: the files of its workspace then; `which`: of all prompts, by `injection`. `since`:
    of older ones it tells nothing."""
    held = held_in(there, fact)
    files = {one.past.file for one in held}
    look = Look(To.PAGE, facts=[fact], files=files)
    lines = [(one, _words(look, one)) for one in held]
    facts, places = [one.fact for one in held], {file.pk for file in files}
    prompts = prompts_with(facts, places, which, at, since)
    return Belief(fact, look.fact(fact).text, lines, prompts)


def pack(by: Auditor, fact: Fact, at: datetime) -> "SpooledTemporaryFile[bytes]":
    """A ZIP. Its event comes first: it binds what the pack says to the chain that the pack has."""
    by.note_read(fact.owner, "fact", fact.pk)
    found = belief(fact, at, files_at(fact.agent_id, fact.owner_id, at), Q())
    evidence, since = _evidence(by, found, at)
    details = {"sha256": hashlib.sha256(evidence).hexdigest()}
    with transaction.atomic():
        whose = {"on_behalf_of": fact.owner_id, **target(fact)}
        record(by.team.pk, Entry("evidence.packed", by.actor, **whose, details=details))
    file = SpooledTemporaryFile[bytes](_IN_MEMORY)
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("evidence.json", evidence)
        archive.writestr("verify_export.py", Path(verify_export.__file__).read_bytes())
        with archive.open("audit.jsonl", "w") as log, TextIOWrapper(log, "utf-8") as lines:
            lines.writelines(segment(by.team, since, by.now, mine=by.mine))
    file.seek(0)
    return file


def _words(look: Look, held: Held) -> str:
    lines = look.then(held.past.file, held.past.content).split("\n")
    return "\n".join(lines[held.at.line - 1 : held.at.end])


def _evidence(by: Auditor, found: Belief, at: datetime) -> tuple[bytes, datetime]:
    """And since when anything of it was there."""
    facts = {one.pk: one for one in (found.fact, *(held.fact for held, _text in found.lines))}
    said = [one for one in cited(tuple(facts)) if one.said_at is None or one.said_at <= at]
    look = Look(To.PAGE, messages=[one.message for one in said if one.message])
    grounds = [{"statement": str(one.fact_id), **_ground(by, one, look)} for one in said]
    told = {
        "format": "memoryweb-evidence-1",
        "team": str(by.team.pk),
        "agent": str(found.fact.agent_id),
        "owner": found.fact.owner_id and str(found.fact.owner_id),
        "statement": {"id": str(found.fact.pk), "text": found.text},
        "at": at.isoformat(),
        "made": by.now.isoformat(),
        "held": [_held(held, text) for held, text in found.lines],
        "standsOn": grounds,
        "prompts": [_prompt(one) for one in found.prompts],
    }
    roots = [one.message or one.root for one in said]
    since = min(one.created_at for one in [*facts.values(), *roots])
    return json.dumps(told, ensure_ascii=False, indent=1).encode(), since


def _held(held: Held, text: str) -> dict[str, Any]:
    past, line = held.past, held.at.line
    where = {"file": past.path, "fileId": str(past.file.pk), "revision": past.number, "line": line}
    return {"statement": str(held.fact.pk), "text": text, **where}


def _prompt(one: Injection) -> dict[str, Any]:
    ids = {"owner": one.owner_id, "conversation": one.conversation_id}
    told = {name: key and str(key) for name, key in ids.items()}
    return {"id": one.pk, "at": one.at.isoformat(), "via": one.via, **told}


def _ground(by: Auditor, one: Evidence, look: Look) -> dict[str, Any]:
    """A message, or the revision that first wrote it down; no word of one that isn't theirs to
    read."""
    if message := one.message:
        talk = message.conversation
        told = {"kind": "message", "at": message.timestamp.isoformat()}
        if not by.reads(talk.owner):
            whole = look.message(message).text
            return told | {"digest": keys.print_of("memoryweb.evidence", whole)}
        by.note_read(talk.owner, "conversation", talk.pk)
        place = {"conversation": str(talk.pk), "position": message.position}
        said = {"role": message.role, "name": message.name, "quote": look.quote(one)}
        return told | place | said
    root = one.root
    assert root
    told = {"kind": "revision", "at": root.created_at.isoformat()}
    if not by.reads(root.file.owner):
        return told
    return told | {
        "file": root.file.path,
        "revision": root.number,
        "by": author_name(root, root.file.agent),
    }
