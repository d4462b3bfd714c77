"""Thirty nights over one talk that changes its mind: what people confirmed is still there, nothing
stands twice or without a source, nothing corrected is back, and what is new finds its room."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.dreaming import document
from memoryweb.language.statement_comparison import Lookup
from memoryweb.memory import facts
from memoryweb.memory.models import AuthorKind, Fact, File, LineOrigin
from memoryweb.memory.models.writer import Writer, write_transaction
from tests.dreaming.nights import answer, dream, memory, text_of
from tests.fakes import Behaviour, ModelServer
from tests.soaking import first_in_gate
from tests.stories.telling import edits, says
from tests.world import World

NIGHTS = 30
TOWNS = ("Leeds", "Porto", "Bergen", "Lyon", "Graz", "Turin")
NAMES = ("Ines", "Tom", "Carla", "Jonas", "Priya", "Yuki", "Omar", "Lena", "Marek", "Sofia")
THINGS = ("cello", "kayak", "loom", "telescope", "piano", "kiln", "drone", "harp", "anvil", "tent")
FIRST = ("I am allergic to walnuts.", "My dentist is called Weber.", "My brother Paul is a pilot.")
REJECTED, REWORDED = "I work at Acme.", "My favourite colour is green."


def _day(night: int) -> date:
    """The first of them long ago, so that a person's own edits come after each night."""
    return timezone.now().date() - timedelta(days=NIGHTS - night)


def _talk(night: int) -> Iterator[str]:
    """Something new each day, something said again, and now and then a change."""
    name, thing = NAMES[night % 10], THINGS[(night * 3 + night // 10) % 10]
    yield f"My friend {name} {('sold', 'bought', 'lent me')[night // 10]} a {thing}."
    said = FIRST[night % 3]
    yield said if night < 3 else said.replace(".", "!")
    if night % 5 == 0:
        yield f"We moved to {TOWNS[night // 5]}."
    if night % 4 == 0:
        yield REJECTED
        yield REWORDED


def _confirms(world: World) -> set[str]:
    """Bob does what a careful reader does after the first nights; what he confirmed."""
    owner, bob = world.bobs_memory, Writer(AuthorKind.PERSON, user=world.bob)
    confirmed = Fact.objects.standing().filter(owner=owner, raw_text__in=FIRST)
    for fact in confirmed:
        with write_transaction(world.team) as tx:
            facts.confirm(tx, fact, writer=bob)
    edits(world, "PROFILE.md", f"- {REJECTED}\n", "", owner=owner)
    edits(world, "MEMORY.md", REWORDED, "My favourite colour is blue.", owner=owner)
    return set(confirmed.values_list("raw_text", flat=True))


def _lines(world: World) -> list[str]:
    lines = text_of(world, world.bobs_memory).split("\n")
    return [line[2:] for line in lines if line.startswith("- ")]


def _without_evidence(world: World) -> list[str]:
    """Lines of machines that stand on no message and no line of before."""
    files = File.objects.filter(owner=world.bobs_memory, path__in=("MEMORY.md", "PROFILE.md"))
    return [line for file in files for line in _without_origin(file)]


def _without_origin(file: File) -> list[str]:
    of_people = {AuthorKind.PERSON}
    told = LineOrigin.objects.filter(file=file).exclude(message=None, root=None)
    known = set(told.values_list("line", flat=True))
    known |= set(
        LineOrigin.objects.filter(file=file, author_kind__in=of_people).values_list(
            "line", flat=True
        )
    )
    lines = enumerate(file.raw_content.split("\n"), start=1)
    return [line for number, line in lines if line.startswith("- ") and number not in known]


def _twice(lines: list[str]) -> list[tuple[str, str]]:
    lookup = Lookup(lines)
    return [(one, other) for one in lines for other in lookup.covering(one) if other != one]


@pytest.mark.parametrize(
    ("by", "nights"), first_in_gate(1, [("rules", 7), ("rules", NIGHTS), ("a model", NIGHTS)])
)
def test_a_talk_that_changes_its_mind(
    world: World, model_server: ModelServer, settings: Any, by: str, nights: int
) -> None:
    model_server.rules_like()
    if by == "rules":
        settings.MODEL_PROVIDER = ""
    owner = world.bobs_memory
    confirmed: set[str] = set()
    for night in range(nights):
        says(world, f"day {night}", *_talk(night), day=_day(night), owner=owner)
        dream(world, owner, _day(night))
        if night == 4:
            confirmed = _confirms(world)
    lines = _lines(world)
    assert len(confirmed) == len(FIRST)
    assert confirmed <= set(lines)
    assert _twice(lines) == []
    assert _without_evidence(world) == []
    assert not {REJECTED, REWORDED} & set(lines)
    assert [line for line in lines if "moved to" in line] == [
        f"We moved to {TOWNS[(nights - 1) // 5]}."
    ]
    assert len(lines) >= nights


@pytest.mark.parametrize(
    ("by", "nights"), first_in_gate(0, [("rules", NIGHTS), ("a model", NIGHTS)])
)
def test_a_full_file_still_takes_in_what_is_new(
    world: World, model_server: ModelServer, settings: Any, by: str, nights: int
) -> None:
    model_server.rules_like()
    if by == "rules":
        settings.MODEL_PROVIDER = ""
    owner = world.bobs_memory
    lines = (
        f"- The shelf number {n} in the archive holds the files of {1700 + n}." for n in range(400)
    )
    full = "# Memory\n\n## Other\n\n"
    while len(full) < document.CAP - 70:
        full += next(lines) + "\n"
    memory(world, owner, full)
    for night in range(nights):
        says(world, f"day {night}", *_talk(night), day=_day(night), owner=owner)
        dream(world, owner, _day(night))
        text = text_of(world, owner)
        assert len(text_of(world, owner, "MEMORY.md")) <= document.CAP
        assert next(_talk(night)) in text
    aside = Fact.objects.living().filter(owner=owner, file=None, state=Fact.State.ACTIVE)
    assert aside.exists()


@pytest.mark.slow  # eight nights that retire everything are tried with the dreams of a model
def test_a_model_that_retires_and_rewrites_everything_each_night_empties_nothing(
    world: World, model_server: ModelServer
) -> None:
    owner = world.bobs_memory
    shelves = [f"Shelf {n} in the archive holds the files of {1900 + n}." for n in range(20)]
    memory(world, owner, "# Memory\n\n" + "".join(f"- {one}\n" for one in (*shelves, *FIRST)))

    def everything(received: Any) -> Behaviour:
        notes = [one["id"] for one in received.data["notes"]]
        olds = [one["id"] for one in received.data["memory"]]
        retire = (
            {"op": "retire", "old": one, "why": why, "sources": notes}
            for one in olds
            for why in ("superseded", "cancelled", "expired", "duplicate", "asked")
        )
        replace = ({"op": "replace", "old": o, "text": "Nothing.", "sources": notes} for o in olds)
        merge = {"op": "merge", "old": olds, "text": "Shelves and files.", "sources": notes}
        told = answer(*retire, *replace, merge)
        return Behaviour(json.dumps(told))

    model_server.default = everything
    for night in range(NIGHTS):
        says(
            world,
            f"day {night}",
            "The archive and its files were dusted.",
            day=_day(night),
            owner=owner,
        )
        dream(world, owner, _day(night))
    lines = set(_lines(world))
    assert len(lines & set(shelves)) >= len(shelves) - 3
    assert set(FIRST) <= lines
