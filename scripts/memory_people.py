"""The people of the memory benchmark: what they said, and what is to be known of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

FOLDER = Path(__file__).parent / "people"

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Thing:
    """One thing to know on the last day; how strings decide about it stands in people/README.md."""

    id: str
    kind: str
    right: Groups
    stale: Groups
    past: tuple[str, ...]
    absent: Groups


@dataclass(frozen=True)
class Said:
    conversation: str
    id: str
    role: str
    content: str
    at: datetime
    day: date  # in the person's time zone

    @property
    def is_persons(self) -> bool:
        return self.role == "user"


@dataclass(frozen=True)
class Person:
    name: str
    language: str
    zone: ZoneInfo
    things: tuple[Thing, ...]
    messages: tuple[Said, ...]

    def conversations(self, day: date) -> Iterator[tuple[str, list[Said]]]:
        found = (message for message in self.messages if message.day == day)
        for conversation, messages in groupby(found, key=lambda message: message.conversation):
            yield conversation, list(messages)

    def own_words(self, until: date) -> list[Said]:
        return [said for said in self.messages if said.is_persons and said.day <= until]


def names(folder: Path = FOLDER) -> list[str]:
    return sorted(file.name.partition(".")[0] for file in folder.glob("*.things.json"))


def load(name: str, folder: Path = FOLDER) -> Person:
    about = json.loads((folder / f"{name}.things.json").read_text(encoding="utf-8"))
    zone = ZoneInfo(about["timeZone"])
    lines = (folder / f"{name}.messages.jsonl").read_text(encoding="utf-8").splitlines()
    return Person(
        name=name,
        language=about["language"],
        zone=zone,
        things=tuple(_thing(row) for row in about["things"]),
        messages=tuple(_said(json.loads(line), zone) for line in lines),
    )


def _thing(row: Mapping[str, Any]) -> Thing:
    return Thing(
        id=row["id"],
        kind=row["kind"],
        right=groups(row.get("right", [])),
        stale=groups(row.get("stale", [])),
        past=tuple(text.casefold() for text in row.get("past", [])),
        absent=groups(row.get("absent", [])),
    )


def groups(rows: Sequence[Sequence[str]]) -> Groups:
    return tuple(tuple(text.casefold() for text in row) for row in rows)


def _said(row: Mapping[str, Any], zone: ZoneInfo) -> Said:
    at = datetime.fromisoformat(row["timestamp"])
    return Said(
        row["conversation"], row["id"], row["role"], row["content"], at, at.astimezone(zone).date()
    )
