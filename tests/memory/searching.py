"""A reference for `memory.search`: the ranking of SPEC §7 written down plainly, and slowly.

It reads every passage that the reader may see and shares no code with the engine but tokens and
terms. What equals it on two databases is equal on both.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from memoryweb.agents.models import Owner, Reader
from memoryweb.language.tokens import tokens
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.index.terms import sought_in, terms_of, told
from memoryweb.memory.models import AuthorKind, Conversation, File, Passage
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.world import World

K1, B = 1.2, 0.75
_WORDS = """
harbour ferry lamp paint brother sister moved bought went boxes shelf meeting budget Thursday
release invoice garden tent camping mountain river coffee guitar lesson doctor appointment
ticket train window keys neighbour cat running swimming pottery painting school letter
"""
ENGLISH = _WORDS.split()
CJK = [
    "周报",
    "会议",
    "预算",
    "周四",
    "发布",
    "东京",
    "出張",
    "会議室",
    "カレー",
    "자전거",
    "회의",
    "山",
]
NAMES = ["Mara", "Kenji", "Ines", "陈伟"]
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def hits(found: object) -> list[tuple[str, str, int, float]]:
    """Kind, place and score of the hits of `memory.search`."""
    said = []
    for hit in found.hits:  # type: ignore[attr-defined]
        whole = hit.file.path if hit.file else hit.message.conversation.external_id
        said.append((hit.kind, whole, hit.line, round(hit.score, 9)))
    return said


def fill(world: World, seed: int = 5) -> None:
    """Files, notes and conversations of two owners and of a rival's agent, always the same."""
    dice = random.Random(seed)
    for agent, owners in (
        (world.agent, (None, world.customer, world.sender)),
        (world.other_agent, (None,)),
    ):
        for owner in owners:
            with write_transaction(world.team) as tx:
                for path, size in (("MEMORY.md", 12), ("KNOWLEDGE.md", 8), ("DREAMS.md", 4)):
                    write(tx, Place(agent, owner, path), _file(dice, size), writer=_PERSON)
                for day in range(1, 4):
                    place = Place(agent, owner, f"memory/2026-03-{day:02}.md")
                    write(tx, place, _file(dice, 7), writer=_PERSON)
                if owner:
                    _talk(tx, agent, owner, dice)


def queries(count: int = 500, seed: int = 11) -> list[str]:
    dice = random.Random(seed)
    asked = []
    for number in range(count):
        words = dice.choices(ENGLISH, k=dice.randint(1, 4))
        if number % 3 == 0:
            words += dice.choices(CJK, k=dice.randint(1, 2))
        if number % 7 == 0:
            words += [dice.choice(NAMES)]
        if number % 11 == 0:
            words += ["what", "did", "the"]
        if number % 17 == 0:
            words += ["how long"]
        if number % 13 == 0:
            words += [f"2026-03-0{dice.randint(1, 5)}"]
        dice.shuffle(words)
        asked.append(" ".join(words))
    return asked


class Reference:
    """Every visible passage, in memory once."""

    def __init__(self, reader: Reader) -> None:
        talks = Conversation.objects.filter(reader.sees(), owner__isnull=False)
        files = File.objects.filter(reader.sees())
        seen = Passage.objects.filter(Q(file__in=files) | Q(message__conversation__in=talks))
        rows = seen.select_related("file", "message__conversation")
        self.rows = sorted(rows, key=lambda row: (_whole(row), row.line))
        self.words = [Counter(_said(row)) for row in self.rows]
        self.above = [set(tokens(row.trail)) if row.file else set() for row in self.rows]
        self.told = [_told(row) for row in self.rows]
        self.average = sum(map(Counter.total, self.words)) / len(self.rows)
        self.near: list[list[tuple[int, float]]] = [
            [
                (at + step, 1.0 if step == -1 and _asks(self.rows[at - 1]) else worth)
                for step, worth in ((-1, 0.35), (-2, 0.15), (1, 0.2), (2, 0.1))
                if 0 <= at + step < len(self.rows)
                and _whole(self.rows[at + step]) == _whole(self.rows[at])
            ]
            for at in range(len(self.rows))
        ]

    def search(self, query: str, limit: int = 10) -> list[tuple[str, str, int, float]]:
        scores: defaultdict[int, float] = defaultdict(float)
        priors: defaultdict[object, float] = defaultdict(float)
        found: set[int] = set()
        for term in terms_of(query):
            idf, own = self._own(term)
            found |= own.keys()
            counts: Counter[object] = Counter()
            for at, words in enumerate(self.words):
                near = [worth * own.get(other, 0.0) for other, worth in self.near[at]]
                scores[at] += max([own.get(at, 0.0), *near])
                counts[_whole(self.rows[at])] += sum(words[form] for form in term)
            for whole, count in counts.items():
                priors[whole] += idf * (K1 + 1) * count / (count + K1)
        telling = [(tells & sought_in(query)).bit_count() for _names, tells in self.told]
        for at in range(len(self.rows)):
            near = [worth * telling[other] for other, worth in self.near[at] if other in found]
            scores[at] += max([telling[at], *near])
        ranked = [
            (score + 0.4 * priors[_whole(row)]) * _weight(row)
            for row, score in ((row, scores[at]) for at, row in enumerate(self.rows))
        ]
        return list(self._page(sorted(found), ranked, limit))

    def _own(self, term: tuple[str, ...]) -> tuple[float, dict[int, float]]:
        having = [
            at
            for at, words in enumerate(self.words)
            if any(words[form] or form in self.above[at] | self.told[at][0] for form in term)
        ]
        count = len(self.rows)
        idf = math.log((count - len(having) + 0.5) / (len(having) + 0.5) + 1)
        own = {}
        for at in having:
            said = sum(self.words[at][form] for form in term)
            norm = K1 * (1 - B + B * self.words[at].total() / self.average)
            own[at] = idf * (K1 + 1) * said / (said + norm)
            if any(form in self.above[at] for form in term):
                own[at] = max(own[at], 0.5 * idf * (K1 + 1) / (1 + norm))
            if any(form in self.told[at][0] for form in term):
                own[at] = max(own[at], idf)
        return idf, own

    def _page(
        self, hits: list[int], ranked: list[float], limit: int
    ) -> Iterator[tuple[str, str, int, float]]:
        shown: Counter[object] = Counter()
        order = sorted(hits, key=lambda at: (-round(ranked[at], 9), *_standing(self.rows[at])))
        for at in order:
            row = self.rows[at]
            shown[_whole(row)] += 1
            if row.file and shown[_whole(row)] > 5:
                continue
            yield (row.kind, _name(row), row.line, round(ranked[at], 9))
            limit -= 1
            if not limit:
                return


_PERSON = Writer(AuthorKind.PERSON)


def _file(dice: random.Random, size: int) -> str:
    lines = []
    for number in range(size):
        if number % 4 == 0:
            lines.append(f"## {dice.choice(ENGLISH).title()} {dice.choice(CJK)}")
        lines.append(f"- {_sentence(dice)}")
    return "\n".join(lines)


def _sentence(dice: random.Random) -> str:
    words = dice.choices(ENGLISH, k=dice.randint(3, 9))
    if dice.random() < 0.4:
        words.append("".join(dice.choices(CJK, k=2)))
    return " ".join(words)


def _talk(tx: object, agent: object, owner: Owner, dice: random.Random) -> None:
    for number in range(3):
        said = [
            NewMessage(
                role=dice.choice(["user", "user", "assistant"]),
                content=_sentence(dice) + dice.choice(["", "?", " yesterday", " 3"]),
                id=f"m{turn}",
                name=dice.choice(NAMES),
                timestamp=START + timedelta(days=number, minutes=turn),
            )
            for turn in range(8)
        ]
        add_messages(
            tx,  # type: ignore[arg-type]
            agent=agent,  # type: ignore[arg-type]
            owner=owner,
            conversation_id=f"{owner.external_id}-{number}",
            messages=said,
        )


def _said(row: Passage) -> list[str]:
    return tokens(row.said)


def _told(row: Passage) -> tuple[set[str], int]:
    is_said = row.message is not None or (row.file is not None and row.file.note_date is not None)
    names, tells = told(row.said, row.date or START.date(), is_said=is_said)
    return {*names, *(tokens(row.trail) if row.message else ())}, tells


def _asks(row: Passage) -> bool:
    return row.message is not None and row.said.endswith("?")


def _whole(row: Passage) -> tuple[str, str, str]:
    return (row.kind, str(row.owner_id or ""), _name(row))


def _name(row: Passage) -> str:
    if row.file:
        return row.file.path
    return row.message.conversation.external_id if row.message else ""


def _weight(row: Passage) -> float:
    if row.message and row.message.role != "user":
        return 0.47
    if row.message or (row.file and row.file.note_date):
        return 0.7
    return {"MEMORY.md": 1.0, "PROFILE.md": 1.0, "DREAMS.md": 0.4}.get(_name(row), 0.8)


def _standing(row: Passage) -> tuple[float, str, bool, int]:
    day = row.date.toordinal() * 86400.0 if row.date else 0.0
    newest = row.message.timestamp.timestamp() if row.message else day
    return (-newest, _name(row).casefold(), row.owner_id is not None, row.line)
