"""What was erased stays away: keyed fingerprints of its sentences, one set for each memory."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet, Value

from memoryweb.audit import keys
from memoryweb.core.prepared_queries import Prepared
from memoryweb.language.normal_form import normalise
from memoryweb.memory.models import Request, Tombstone
from memoryweb.memory.visible.hidden import MARK
from memoryweb.memory.visible.text_matching import is_telling, sentences, units

_ONLY_MARK = re.compile(rf"\W*(?:\d{{1,2}}:\d\d\s+)?{re.escape(MARK)}\W*")


@dataclass(frozen=True)
class Buried:
    """Of one memory: the agent's shared one, or one owner's. `is_hiding`: some of it is to be
    forgotten and not erased yet."""

    agent_id: UUID
    owner_id: UUID | None
    prints: frozenset[str]
    is_hiding: bool = False

    def __bool__(self) -> bool:
        return bool(self.prints) or self.is_hiding

    def has(self, text: str) -> bool:
        """It is such a sentence, or has one."""
        return bool(self.prints) and any(self._print(one) in self.prints for one in units(text))

    def kept_out(self, content: str, *, known: str = "") -> str:
        """A text without the lines, and within lines without the sentences, that were erased; nor
        does a line come in that says only that something was. What is `known` stands there already.
        """
        if not self.prints and MARK not in content:
            return content
        stands = set(known.split("\n"))
        lines = (
            (line, line if line in stands else self._line(line)) for line in content.split("\n")
        )
        return "\n".join(left for line, left in lines if left or not line.strip())

    def said(self, text: str) -> str:
        """What somebody said, with the mark in the place of each such sentence."""
        if not self.prints:
            return text
        for first, last, one in reversed(list(sentences(text))):
            if self.has(one):
                text = text[:first] + MARK + text[last:]
        return text

    def lifted(self, said: Iterable[tuple[str, datetime]], now: datetime) -> "Buried":
        """Their person wrote this again, at that time: what was erased before it is kept out no
        longer."""
        if not self.prints:
            return self
        times: dict[str, datetime] = {}
        for text, at in said:
            for one in units(text):
                print_ = self._print(one)
                times[print_] = max(at, times.get(print_, at))
        rows = Tombstone.objects.filter(agent=self.agent_id, owner=self.owner_id, lifted_at=None)
        there = rows.filter(fingerprint__in=times.keys() & self.prints)
        lifted = {row.fingerprint for row in there if row.created_at < times[row.fingerprint]}
        if lifted:
            there.filter(fingerprint__in=lifted).update(lifted_at=now)
        return replace(self, prints=self.prints - lifted)

    def _line(self, line: str) -> str:
        """Empty where nothing of it may stand."""
        if _ONLY_MARK.fullmatch(line):
            return ""
        whole = units(line)[:2]
        if any(self._print(one) in self.prints for one in whole):
            return ""
        left = line
        for first, last, one in reversed(list(sentences(line))):
            if any(self._print(part) in self.prints for part in units(one)[:2]):
                left = left[:first] + left[last:].lstrip()
        return left if re.search(r"\w{2}", left) or left == line else ""

    def _print(self, text: str) -> str:
        return _fingerprint(self.agent_id, self.owner_id, text)


def of(agent_id: UUID, owner_id: UUID | None) -> Buried:
    prints = {print_ for (print_,) in _prints(agent_id, owner_id)}
    return Buried(agent_id, owner_id, frozenset(prints - {""}), "" in prints)


@Prepared
def _prints(agent_id: UUID, owner_id: UUID | None) -> QuerySet[Tombstone, tuple[str]]:
    """In one statement with "", where a request hides something."""
    rows = Tombstone.objects.filter(agent=agent_id, owner=owner_id, lifted_at=None)
    asked = Request.objects.hiding().of(agent_id, owner_id).values_list(Value(""))
    return rows.values_list("fingerprint").union(asked, all=True)


def bury(
    team_id: UUID, agent_id: UUID, owner_id: UUID | None, texts: Collection[str], now: datetime
) -> int:
    """Keep these texts, and each sentence of them, out of that memory from now on."""
    there = of(agent_id, owner_id).prints
    parts = {part for text in texts for part in units(text) if is_telling(part)}
    prints = {_fingerprint(agent_id, owner_id, part) for part in parts} - there
    Tombstone.objects.bulk_create(
        Tombstone(
            team_id=team_id,
            agent_id=agent_id,
            owner_id=owner_id,
            fingerprint=one,
            created_at=now,
        )
        for one in sorted(prints)
    )
    return len(prints)


def new_lines(content: str, known: str) -> Iterator[str]:
    stands = set(known.split("\n"))
    return (line for line in content.split("\n") if line.strip() and line not in stands)


def _fingerprint(agent_id: UUID, owner_id: UUID | None, text: str) -> str:
    said = f"{agent_id}/{owner_id or 'shared'}/{normalise(text)}"
    return keys.print_of("memoryweb.forgetting", said)
