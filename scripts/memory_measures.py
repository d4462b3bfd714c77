"""A person's month with an agent, night by night, and what MEMORY.md and PROFILE.md then hold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import combinations
from time import perf_counter

from django.db.models import QuerySet, Sum
from django.test import override_settings
from django_scopes import scope

from memoryweb.accounts.members import add_member
from memoryweb.accounts.models import Team, User
from memoryweb.accounts.permissions import Role
from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import person_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Operation
from memoryweb.extraction.models import Extraction
from memoryweb.extraction.requests import request
from memoryweb.language.statement_comparison import clean, covers, says_the_same
from memoryweb.markdown.blocks import blocks
from memoryweb.markdown.file_kinds import CORE
from memoryweb.memory import facts
from memoryweb.memory.agents import create_agent
from memoryweb.memory.conversations.messages import add_messages
from memoryweb.memory.conversations.parsing import NewMessage
from memoryweb.memory.models import AuthorKind, Fact, File, LineOrigin
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from scripts.memory_judge import Mark, bears_on, judge, serves, unsaid, unsaid_dates
from scripts.memory_model import ScriptedModel, Step, script
from scripts.memory_people import Person, Said
from tests.fakes import ModelServer

NIGHTS, ACTS_ON = 30, 10
CONFIRMED = 5
MEMORY, PROFILE = "MEMORY.md", "PROFILE.md"
CAP = CORE[MEMORY].limit or 0  # characters
TROUBLES = (Run.Status.FAILED, Run.Status.NEEDS_REVIEW)
# What is said besides: one thing when the file is full, and two on the tenth day, which the person
# takes back in the morning.
ASKED = {
    "en": (
        "Please remember that my locker at the swimming pool is number 417.",
        "Please remember that the bicycle pump hangs behind the green door.",
        "Please remember that the Christmas lights are in box 88.",
    ),
    "de": (
        "Merk dir bitte: mein Spind im Schwimmbad hat die Nummer 417.",
        "Merk dir bitte: die Luftpumpe hängt hinter der grünen Tür.",
        "Merk dir bitte: die Lichterkette liegt in Kiste 88.",
    ),
    "ja": (
        "プールのロッカーは417番だと覚えておいて。",
        "空気入れは緑のドアの後ろにあると覚えておいて。",
        "クリスマスの飾りは88番の箱にあると覚えておいて。",
    ),
    "zh": (
        "请记住：我在游泳馆的柜子是417号。",
        "请记住：打气筒挂在绿色的门后面。",
        "请记住：圣诞灯放在88号箱子里。",
    ),
}
REWORDED = {
    "en": "What stood here was a mix-up.",
    "de": "Was hier stand, war eine Verwechslung.",
    "ja": "ここにあったのは取り違えです。",
    "zh": "这里原来写的是搞混了的。",
}
NEW = "417"
_REFUSED = re.compile(r"(\d+) lines? says? what (?:its|their) messages don't")


@dataclass(frozen=True)
class Acts:
    """What the person did in the editor on the tenth day: texts of lines as they stood."""

    confirmed: tuple[str, ...] = ()
    taken_back: tuple[str, ...] = ()


@dataclass(frozen=True)
class Use:
    """What the engine refused, and what asking a model took."""

    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def __add__(self, other: "Use") -> "Use":
        return Use(
            self.refused + other.refused,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost + other.cost,
        )

    def __str__(self) -> str:
        tokens = f", {self.tokens_in} + {self.tokens_out} tokens, cost {self.cost:.4f}"
        return f"{self.refused} refused{tokens if self.tokens_in else ''}"


@dataclass
class Figures:
    """Lists hold the lines that are not as they should be."""

    person: str
    language: str
    consolidator: str
    marks: dict[str, Mark]
    noted: list[str]  # things that some line of the daily notes states
    lines: list[str]
    characters: int
    invented: list[str]
    dates: list[str]
    duplicates: list[tuple[str, str]]
    without_evidence: list[str]
    confirmed: int
    lost: list[str]
    taken_back: int
    back: list[str]
    baselines: dict[str, dict[str, Mark]]
    takes_in: bool = False
    use: Use = field(default_factory=Use)
    troubles: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Home:
    """A person's own team, with the one agent that they talk to."""

    person: Person
    team: Team
    user: User
    agent: Agent
    owner: Owner

    def files(self, *paths: str) -> "QuerySet[File]":
        wanted = paths or (MEMORY, PROFILE)
        return File.objects.of(self.agent.pk, self.owner.pk).filter(path__in=wanted)

    def memory(self, *paths: str) -> str:
        """What is known of them, in either file."""
        texts = self.files(*paths).order_by("-path").values_list("raw_content", flat=True)
        return "\n".join(texts)

    def notes(self) -> list[str]:
        """The lines of the daily notes, oldest first."""
        files = File.objects.of(self.agent.pk, self.owner.pk).exclude(note_date=None)
        contents = files.order_by("note_date").values_list("raw_content", flat=True)
        return [line for content in contents for line in bullets(content)]


def run(person: Person, consolidator: str, nights: int = NIGHTS) -> Figures:
    started = perf_counter()
    asked = enumerate(ASKED[person.language])
    besides = [Step(text=text, said=(f"besides-{number}",)) for number, text in asked]
    with consolidating(consolidator, [*script(person.name), *besides]):
        figures = _lived(person, consolidator, nights)
    figures.seconds = perf_counter() - started
    return figures


@contextmanager
def consolidating(by: str, steps: Iterable[Step] = ()) -> Iterator[None]:
    """With `rules`, with a `model` that answers by these steps, or with the `endpoint` that the
    environment names."""
    if by == "endpoint":
        yield
    elif by == "rules":
        with override_settings(MODEL_PROVIDER=""):
            yield
    else:
        server = ModelServer().start()
        server.default = ScriptedModel(steps)
        try:
            with override_settings(
                MODEL_PROVIDER="openai", MODEL_BASE_URL=server.url, MODELS={"default": "scripted"}
            ):
                yield
        finally:
            server.stop()


def bullets(content: str) -> list[str]:
    return [clean(block.text) for block in blocks(content) if block.kind == "bullet"]


def _lived(person: Person, consolidator: str, nights: int) -> Figures:
    home = home_of(person, consolidator)
    acts, day = Acts(), person.messages[0].day
    with scope(team=home.team):
        for night in range(1, nights + 1):
            _day(home, day)
            if night == ACTS_ON:
                _ask(home, day, 1, 2)
            day += timedelta(days=1)
            dream(home, day)
            if night == ACTS_ON:
                acts = _act(home, day)
        figures = _figures(home, consolidator, acts, person.own_words(day - timedelta(days=1)))
        figures.takes_in = _takes_in(home, day)
        figures.troubles, figures.use = troubles(home), use(home)
    return figures


def home_of(person: Person, consolidator: str) -> Home:
    name = f"{person.name} {consolidator}"
    team = create_team(name=name, by=SYSTEM)
    email = f"{person.name}@{consolidator}.example"
    user = add_member(team=team, email=email, role=Role.MEMBER, by=SYSTEM, name=person.name).user
    with write_transaction(team) as tx:
        agent = create_agent(
            tx,
            name="Listener",
            time_zone=str(person.zone),
            extractor="rules" if consolidator == "rules" else "model",
            consolidator="rules" if consolidator == "rules" else "model",
        )
        owner = person_owner(team, user)
    return Home(person, team, user, agent, owner)


def _day(home: Home, day: date) -> None:
    for conversation, messages in home.person.conversations(day):
        say(home, conversation, messages)


def say(home: Home, conversation: str, messages: Sequence[Said]) -> None:
    with write_transaction(home.team) as tx:
        tx.now = messages[-1].at + timedelta(minutes=1)
        add_messages(
            tx,
            agent=home.agent,
            owner=home.owner,
            conversation_id=conversation,
            messages=[NewMessage(m.role, m.content, m.id, timestamp=m.at) for m in messages],
        )
        asked = request(
            tx, agent=home.agent, owner=home.owner, trigger=Run.Trigger.COMMAND, immediate=True
        )
    if asked is not None:
        engine.work(asked.pk)


def dream(home: Home, night: date) -> None:
    with write_transaction(home.team) as tx:
        asked = schedule.request_night(
            tx, Memory(home.agent, home.owner), night, trigger=Run.Trigger.COMMAND
        )
    engine.work(asked.run.pk)


def _act(home: Home, day: date) -> Acts:
    """In the morning the person confirms five lines that hold all month, and takes back those on
    which nothing depends that is judged: rewords the last one and deletes the others."""
    person, lines = home.person, bullets(home.memory())
    shaky = [thing for thing in person.things if thing.stale]
    steady = [line for line in lines if not any(bears_on(thing, line) for thing in shaky)]
    confirmed = [line for line in steady if any(serves(thing, line) for thing in person.things)]
    idle = [line for line in steady if not any(bears_on(thing, line) for thing in person.things)]
    deleted, reworded = idle[:-1], idle[-1:]

    def edited(content: str) -> str:
        return "\n".join(
            line.replace(clean(line), REWORDED[person.language])
            if clean(line) in reworded
            else line
            for line in content.split("\n")
            if clean(line) not in deleted
        )

    with write_transaction(home.team) as tx:
        tx.now = datetime.combine(day, time(8), person.zone)
        by = Writer(AuthorKind.PERSON, home.user)
        for fact in Fact.objects.filter(file__in=home.files(), raw_text__in=confirmed[:CONFIRMED]):
            facts.confirm(tx, fact, writer=by)
        for file in home.files():
            write(tx, Place.of(file), edited(file.raw_content), writer=by)
    return Acts(tuple(confirmed[:CONFIRMED]), (*deleted, *reworded))


def _figures(home: Home, consolidator: str, acts: Acts, said: list[Said]) -> Figures:
    person, content, notes = home.person, home.memory(), home.notes()
    lines = bullets(content)
    by_machines = [line for line in lines if line != REWORDED[person.language]]
    return Figures(
        person=person.name,
        language=person.language,
        consolidator=consolidator,
        marks=judge(person.things, lines),
        noted=[one.id for one in person.things if any(serves(one, line) for line in notes)],
        lines=lines,
        characters=len(content),
        invented=[
            f"{', '.join(new)}: {line}" for line in by_machines if (new := unsaid(line, said))
        ],
        dates=[
            f"{', '.join(new)}: {line}" for line in by_machines if (new := unsaid_dates(line, said))
        ],
        duplicates=[(one, two) for one, two in combinations(lines, 2) if _is_twice(one, two)],
        without_evidence=list(_without_evidence(home)),
        confirmed=len(acts.confirmed),
        lost=[old for old in acts.confirmed if not any(covers(line, old) for line in lines)],
        taken_back=len(acts.taken_back),
        back=[line for line in by_machines if _is_back(line, acts)],
        baselines=_baselines(home, said, len(content)),
    )


def _is_twice(one: str, two: str) -> bool:
    return says_the_same(one, two) or covers(one, two) or covers(two, one)


def _is_back(line: str, acts: Acts) -> bool:
    return any(says_the_same(line, old) or covers(line, old) for old in acts.taken_back)


def _without_evidence(home: Home) -> Iterator[str]:
    """Bullets that no person wrote and that stand on nothing, and statements that do."""
    for file in home.files():
        known = {
            row.line
            for row in LineOrigin.objects.filter(file=file)
            if row.author_kind == AuthorKind.PERSON or row.message_id or row.root_id
        }
        for block in blocks(file.raw_content):
            if block.kind == "bullet" and block.line not in known:
                yield clean(block.text)
        yield from Fact.objects.filter(file=file, evidence=None).values_list("raw_text", flat=True)


def _baselines(home: Home, said: Sequence[Said], size: int) -> dict[str, dict[str, Mark]]:
    """What other memories of the same size would hold."""
    notes = home.notes()
    held = {
        "their newest messages": _cut(
            (" ".join(one.content.split()) for one in reversed(said)), size
        ),
        "the newest notes": _cut(reversed(notes), size),
        "all notes until full": _cut(notes, CAP),
        "nothing": [],
    }
    return {name: judge(home.person.things, lines) for name, lines in held.items()}


def _cut(lines: "Iterator[str] | Sequence[str] | reversed[str]", size: int) -> list[str]:
    kept, room = [], size
    for line in lines:
        room -= len(line) + 3  # its bullet and its end
        if room < 0:
            break
        kept.append(line)
    return kept


def _takes_in(home: Home, day: date) -> bool:
    """With a full file: what is asked to be remembered stands there after one more night."""
    number, filled = 0, home.memory(MEMORY)
    while len(filled) < CAP - 100:
        number += 1
        filled += (
            f"- Box {number} of the archive stands on shelf {number * 7} of room {number * 3}.\n"
        )
    with write_transaction(home.team) as tx:
        write(tx, Place(home.agent, home.owner, MEMORY), filled, writer=Writer(AuthorKind.AGENT))
    _ask(home, day, 0)
    dream(home, day + timedelta(days=1))
    is_there = any(NEW in line for line in bullets(home.memory()))
    return len(home.memory(MEMORY)) <= CAP and is_there


def _ask(home: Home, day: date, *numbers: int) -> None:
    """Say some of what is said besides, in the evening, in a conversation long enough to count."""
    at = datetime.combine(day, time(21), home.person.zone)
    words = [(f"besides-{one}", ASKED[home.person.language][one]) for one in numbers]
    words += [(f"thanks-{day}-{number}", "Thanks, good night to you!") for number in range(3)]
    said = []
    for number, (id, text) in enumerate(words):
        moment = at + timedelta(minutes=number)
        said += [
            Said("", id, "user", text, moment, day),
            Said("", f"{id}-answer", "assistant", "OK.", moment, day),
        ]
    say(home, f"besides {day}", said)


def use(home: Home) -> Use:
    """What was refused, of nights and of notes, and what asking a model took."""
    left_out = Operation.objects.filter(report__agent=home.agent).exclude(code="").count()
    left_out += sum(int(_REFUSED.findall(reason)[0]) for reason in refused_notes(home))
    sums = {name: Sum(name) for name in ("tokens_in", "tokens_out", "cost_micros")}
    took = Run.objects.filter(agent=home.agent).aggregate(**sums)
    tokens_in, tokens_out, micros = (took[name] or 0 for name in sums)
    return Use(left_out, tokens_in, tokens_out, micros / 1_000_000)


def refused_notes(home: Home) -> list[str]:
    """What extractions say of a model's lines that no message bears out."""
    reasons = Extraction.objects.filter(conversation__agent=home.agent).exclude(reason="")
    told = reasons.order_by("pk").values_list("reason", flat=True)
    return [reason for reason in told if _REFUSED.search(reason)]


def troubles(home: Home) -> list[str]:
    runs = Run.objects.filter(agent=home.agent, status__in=TROUBLES).order_by("pk")
    return [f"{run.kind} {run.night or ''} {run.status}: {run.reason} {run.error}" for run in runs]
