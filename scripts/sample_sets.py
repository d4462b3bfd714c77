"""The sample sets of the memory benchmark (people/README.md): what is said, and what is to hold."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scripts.memory_people import FOLDER, Groups, Person, Said, groups

KINDS = ("changes", "pairs", "everyday", "hardpairs", "forget", "notforget", "silence")
ZONE = ZoneInfo("UTC")
_PAUSE = timedelta(hours=1)  # after which somebody begins another chat
_FILLER = ("Thanks, good night to you!", "OK.")

Chat = tuple[Said, ...]


@dataclass(frozen=True)
class Item:
    """One person: what they say before, what they say then, and what is known of that."""

    id: str
    language: str
    before: tuple[Chat, ...]
    later: tuple[Chat, ...]
    row: Mapping[str, Any]

    @property
    def person(self) -> Person:
        said = tuple(one for chat in (*self.before, *self.later) for one in chat)
        return Person(self.id, self.language, ZONE, (), said)

    def said(self, part: str) -> list[Said]:
        """`before` or `later`: in the order of the set, without what lies between."""
        count = len(self.row.get(part, self.row.get("change", ())))
        ids = [f"{part}-{number}" for number in range(count)]
        found = {said.id: said for said in self.person.messages}
        return [found[id] for id in ids]

    @property
    def keep(self) -> Groups:
        return groups(self.row["keep"])

    @property
    def until(self) -> date:
        """The day on which memory is looked at; else the one after the last word."""
        if "on" in self.row:
            return date.fromisoformat(self.row["on"])
        return self.person.messages[-1].day + timedelta(days=1)


def names(patterns: str = "*") -> list[str]:
    """Sets that one of these means: `changes.en.report`, `changes`, `*.report`."""
    wanted = patterns.split(",")
    known = [f"{kind}.{name}" for kind in KINDS for name in sorted(_files(kind))]
    return [
        name
        for name in known
        if any(fnmatch(name, one) or name.startswith(f"{one}.") for one in wanted)
    ]


def lines(name: str) -> list[str]:
    kind, _, rest = name.partition(".")
    return _files(kind)[rest].read_text(encoding="utf-8").splitlines()


def rows(name: str) -> Iterator[dict[str, Any]]:
    for line in lines(name):
        yield json.loads(line)


def items(name: str) -> Iterator[Item]:
    of_kind = {"changes": _change, "pairs": _pair, "everyday": _situation, "hardpairs": _two}
    for row in rows(name):
        yield of_kind[name.partition(".")[0]](row)


def silence(number: str, row: Mapping[str, Any], at: datetime) -> Item:
    """Its memory, told sentence by sentence from a moment on."""
    told = [
        {"at": (at + 2 * count * _PAUSE).isoformat(), "text": text}
        for count, text in enumerate(row["memory"])
    ]
    return _item({"id": f"silence-{number}", "lang": "en", **row}, told, [])


def padded(item: Item) -> Item:
    """With small talk after each chat: for a version that reads no short one."""
    return replace(
        item,
        before=tuple(map(_padded, item.before)),
        later=tuple(map(_padded, item.later)),
    )


def _files(kind: str) -> dict[str, Path]:
    return {path.stem: path for path in (FOLDER / kind).iterdir()}


def _change(row: Mapping[str, Any]) -> Item:
    return _item(row, [*row["before"], *row["between"]], row["change"])


def _pair(row: Mapping[str, Any]) -> Item:
    return _item(row, row["before"], row["later"])


def _situation(row: Mapping[str, Any]) -> Item:
    return _item({"lang": "en", **row}, [], [*row["messages"], *row["later"]])


def _two(row: Mapping[str, Any]) -> Item:
    one, other = (
        [{"at": f"2026-03-{day:02}T18:00:00Z", "text": row[name]}]
        for name, day in (("a", 2), ("b", 5))
    )
    return _item(row, one, other)


def _item(
    row: Mapping[str, Any], before: Sequence[Mapping[str, str]], later: Sequence[Mapping[str, str]]
) -> Item:
    """What is said on the day of the change belongs to it: no night lies between."""
    told = [("before", number, one) for number, one in enumerate(before)]
    told += [("later", number, one) for number, one in enumerate(later)]
    chats = _chats(told)
    first = next((chat for chat in chats if _has_later(chat)), None)
    days = [chat for chat in chats if first is None or chat[0].day < first[0].day]
    return Item(row["id"], row["lang"], tuple(days), chats[len(days) :], row)


def _has_later(chat: Chat) -> bool:
    return any(said.id.startswith("later-") for said in chat)


def _chats(told: Iterable[tuple[str, int, Mapping[str, str]]]) -> tuple[Chat, ...]:
    chats: list[list[Said]] = []
    for name, number, one in sorted(told, key=lambda one: one[2]["at"]):
        at = datetime.fromisoformat(one["at"])
        if not chats or at - chats[-1][-1].at > _PAUSE:
            chats.append([])
        talk, id, role = f"talk-{len(chats)}", f"{name}-{number}", one.get("role", "user")
        chats[-1].append(Said(talk, id, role, one["text"], at, at.astimezone(UTC).date()))
    return tuple(map(tuple, chats))


def _padded(chat: Chat) -> Chat:
    return (*chat, *_filler(chat[-1]))


def _filler(last: Said) -> Iterable[Said]:
    for number in range(6):
        yield replace(
            last,
            id=f"{last.id}-filler-{number}",
            role=("user", "assistant")[number % 2],
            content=_FILLER[number % 2],
            at=last.at + timedelta(seconds=number + 1),
        )
