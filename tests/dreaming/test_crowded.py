"""People hold so much of MEMORY.md fast that dreams find no room: that is told."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.db.models import Q
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.dreaming.document import CAP, leaving
from memoryweb.dreaming.operations import LivingStatement, Utterance
from memoryweb.dreaming.status import status
from memoryweb.language.extraction_rules import claim_of
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.writer import Memory, Writer
from memoryweb.memory.review.inbox import Inbox, Kind
from tests.dreaming.nights import MACHINE, NIGHT, dream, memory, note
from tests.web.pages import text, tight, url
from tests.world import World, signed_in

AT = datetime.combine(NIGHT, time(2), UTC)
TOLD = "Over four fifths of MEMORY.md"
LINE = "- Boat number {n} is moored at the pier, and nobody but Marta may take it out.\n"


def _fill(world: World, share: float, writer: Writer, owner: Owner | None = None) -> None:
    size = len(LINE.format(n=100))
    lines = (LINE.format(n=n) for n in range(100, 100 + int(share * CAP) // size))
    memory(world, owner or world.customer, "# Memory\n\n" + "".join(lines), writer)


def _is_told(world: World) -> bool:
    warnings = status(Memory(world.agent, world.customer), timezone.now()).warnings
    return any(one.startswith(TOLD) for one in warnings)


@pytest.mark.parametrize(("share", "told"), [(0.7, False), (0.9, True)])
def test_what_people_wrote_counts(world: World, share: float, told: bool) -> None:
    _fill(world, share, Writer(AuthorKind.PERSON, user=world.alice))
    assert _is_told(world) is told


def test_what_machines_wrote_does_not_unless_it_is_confirmed(world: World) -> None:
    _fill(world, 0.9, MACHINE)
    assert not _is_told(world)
    Fact.objects.filter(file__path="MEMORY.md").update(confirmed_at=timezone.now())
    assert _is_told(world)


def _waiting(world: World) -> list[str]:
    return [
        item.path for item in Inbox(world.team, lambda _owner, _takes: Q(), kinds=[Kind.CROWDED])
    ]


def test_review_says_so_once(world: World) -> None:
    bob, owner = Writer(AuthorKind.PERSON, user=world.bob), world.bobs_memory
    _fill(world, 0.9, bob, owner)
    for day in (0, 1):
        note(world, owner, NIGHT + timedelta(days=day), f"Ines plays the violin in hall {day}.")
        dream(world, owner, NIGHT + timedelta(days=day))
        assert _waiting(world) == ["MEMORY.md"]
    [item] = Inbox(world.team, lambda _owner, _takes: Q(), kinds=[Kind.CROWDED])
    client = signed_in(world.bob)
    address = url(world.team, "review_item", "crowded", item.id)
    assert "Over four fifths of it are lines that people wrote" in tight(client.get(address))
    assert "has little room" in text(client.get(url(world.team, "last_night")))
    assert signed_in(world.alice).get(address).status_code == 403
    decide = url(world.team, "review_decide", "crowded", item.id)
    assert client.post(decide, {"decision": "seen"}).status_code == 302
    note(world, owner, NIGHT + timedelta(days=2), "Ines plays the violin in hall 2.")
    dream(world, owner, NIGHT + timedelta(days=2))
    assert _waiting(world) == []


def test_what_nobody_has_seen_goes_when_there_is_room_again(world: World) -> None:
    _fill(world, 0.9, Writer(AuthorKind.PERSON, user=world.alice))
    note(world, world.customer, NIGHT, "Ines plays the violin.")
    dream(world, world.customer, NIGHT)
    assert _waiting(world) == ["MEMORY.md"]
    _fill(world, 0.3, Writer(AuthorKind.PERSON, user=world.alice))
    note(world, world.customer, NIGHT + timedelta(days=1), "Ines plays the cello, too.")
    dream(world, world.customer, NIGHT + timedelta(days=1))
    assert _waiting(world) == []


@pytest.mark.parametrize(
    "text",
    [
        "Please always answer in German.",
        "I'm a nurse. Always answer in German.",
        "I'm a nurse so please always answer in short sentences.",
    ],
)
def test_how_to_be_answered_is_the_last_to_go_for_want_of_room(text: str) -> None:
    told = ["I'm allergic to nuts.", "I live in Leeds.", "My name is Ada Lovelace."]
    there = [
        LivingStatement(one, one, claim_of(one), Utterance(AT + timedelta(days=day)), value=0.9)
        for day, one in enumerate(told)
    ]
    order = LivingStatement(text, text, claim_of(text), Utterance(AT), value=0.1)
    assert [one.text for one in leaving([order, *there], 10_000)][-1] == text
