"""All that is kept about a person in one ZIP, written while it is sent."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from io import RawIOBase
from typing import Any, TypeVar
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.models import Conversation, File, Message
from memoryweb.memory.visible.readable import To, readable_file, readable_messages
from memoryweb.memory.writing.put_back import without_lines

_AT_ONCE = 500
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
Item = TypeVar("Item")
_Entry = tuple[str, Iterator[bytes]]  # a file of the archive, in parts


@dataclass
class _Pipe(RawIOBase):
    """What the archive writes into, and the answer takes out of again."""

    waiting: list[bytes] = field(default_factory=list)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken = b"".join(self.waiting)
        self.waiting.clear()
        return taken


def export(team: Team, owners: Collection[Owner], looked: Mapping[str, Any]) -> Iterator[bytes]:
    """A ZIP piece by piece: `about.json`, each agent's files as they stand, conversations as
    JSONL that `import_conversations` reads, and who looked. The caller has recorded it."""
    return _scoped(team, _zipped(_entries(team, owners, looked)))


def _scoped(team: Team, pieces: Iterator[Item]) -> Iterator[Item]:
    """The answer is read long after the view has ended, and other requests in between."""
    while True:
        with scope(team=team):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _zipped(entries: Iterator[_Entry]) -> Iterator[bytes]:
    pipe = _Pipe()
    now = timezone.now().timetuple()[:6]
    with ZipFile(pipe, "w", ZIP_DEFLATED) as archive:
        for name, parts in entries:
            info = ZipInfo(name, date_time=(now[0], *now[1:]))
            info.compress_type = ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                for part in parts:
                    member.write(part)
                    if piece := pipe.take():
                        yield piece
    yield pipe.take()


def _entries(team: Team, owners: Collection[Owner], looked: Mapping[str, Any]) -> Iterator[_Entry]:
    folders = _folders(team, owners)
    yield ("about.json", iter([_json(_about(team, owners, folders))]))
    yield ("who-looked.json", iter([_json(looked)]))
    for (agent_id, owner_id), folder in folders.items():
        files = File.objects.present().of(agent_id, owner_id).order_by("folded_path")
        for path in list(files.values_list("path", flat=True)):
            yield (f"{folder}/files/{path}", _content(agent_id, owner_id, path))
        talks = Conversation.objects.filter(agent=agent_id, owner=owner_id)
        if talks.exists():
            ids = list(talks.order_by("created_at", "pk").values_list("pk", "external_id"))
            yield (f"{folder}/conversations.jsonl", _messages(ids))


def _folders(team: Team, owners: Collection[Owner]) -> dict[tuple[UUID, UUID], str]:
    """(agent, owner) → a folder that every system can hold, and that no two share."""
    found: dict[tuple[UUID, UUID], str] = {}
    for agent in Agent.objects.filter(team=team).order_by("folded_name", "created_at"):
        for owner in owners:
            if _has_any(agent, owner):
                name = f"{_safe(agent.name)}/{_safe(owner.shown_as)}"
                taken = found.values()
                found[agent.pk, owner.pk] = f"{name}-{owner.pk.hex[:8]}" if name in taken else name
    return found


def _has_any(agent: Agent, owner: Owner) -> bool:
    files = File.objects.present().of(agent.pk, owner.pk)
    return files.exists() or Conversation.objects.filter(agent=agent, owner=owner).exists()


def _content(agent_id: UUID, owner_id: UUID, path: str) -> Iterator[bytes]:
    file = File.objects.present().of(agent_id, owner_id).filter(path=path).first()
    if file:
        readable = readable_file(file, To.PAGE)
        yield without_lines(readable.text, readable.hidden).encode()


def _messages(talks: Collection[tuple[UUID, str]]) -> Iterator[bytes]:
    for talk_id, name in talks:
        last = 0
        while rows := list(
            Message.objects.filter(conversation=talk_id, position__gt=last).order_by("position")[
                :_AT_ONCE
            ]
        ):
            said = readable_messages(rows, To.PAGE)
            yield b"".join(_line(name, row, one.text) for row, one in zip(rows, said, strict=True))
            last = rows[-1].position


def _line(conversation: str, row: Message, text: str) -> bytes:
    said = {
        "conversation": conversation,
        "id": row.external_id,
        "role": row.role,
        "name": row.name,
        "content": text,
        "timestamp": _moment(row.timestamp),
    }
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


def _about(
    team: Team, owners: Collection[Owner], folders: Mapping[tuple[UUID, UUID], str]
) -> dict[str, Any]:
    return {
        "schema": "memoryweb.personal/1",
        "team": team.name,
        "exportedAt": _moment(timezone.now()),
        "owners": [
            {"id": str(owner.pk), "owner": owner.shown_as, "paused": owner.paused}
            for owner in owners
        ],
        "folders": [
            {"folder": folder, "agentId": str(agent), "ownerId": str(owner)}
            for (agent, owner), folder in folders.items()
        ],
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain).encode() + b"\n"


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _safe(name: str) -> str:
    """Letters that no system trips over; never empty, and never a dot alone."""
    return _UNSAFE.sub("_", name.replace("..", "_")).strip("._")[:60] or "unnamed"


def _moment(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")
