"""A dream's own page says what people decided about what it left to them."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.memory import facts
from memoryweb.memory.models import AuthorKind, Contradiction, Proposal
from memoryweb.memory.models.writer import Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.memory.writing.changes import Pick, changes_of, print_of
from memoryweb.runs.models import Run
from tests.clock import Clock
from tests.dreaming.nights import NIGHT, dream, note
from tests.stories import disagreeing as by
from tests.stories.disagreeing import Days
from tests.web.pages import tight, url
from tests.world import World

SAID = (
    "Marta lives in Gothenburg.",
    "Marta's team ships on Thursdays.",
    "Marta is allergic to hazelnuts.",
)
WAITS = "Waits for a person:"


@pytest.fixture
def run(world: World) -> Run:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    note(world, None, NIGHT, *SAID)
    return dream(world, None)


def test_it_waits_until_a_person_decides(world: World, run: Run, bob: Client) -> None:
    assert "asks you about 3." in _page(bob, run)
    assert _told(bob, run).count(WAITS) == 3


def test_what_was_accepted_waits_no_more(world: World, run: Run, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        proposals.accept(tx, Proposal.objects.get(run=run), by=world.bob)
    page = _page(bob, run)
    assert "learned 3 things." in page
    told = _told(bob, run)
    assert (told.count(">accepted<"), told.count(WAITS)) == (3, 0)


def test_what_was_rejected_waits_no_more(world: World, run: Run, bob: Client) -> None:
    with write_transaction(world.team) as tx:
        proposals.reject(tx, Proposal.objects.get(run=run), by=world.bob)
    assert "learned nothing new." in _page(bob, run)
    told = _told(bob, run)
    assert (told.count(">rejected<"), told.count(WAITS)) == (3, 0)


def test_of_some_lines_each_says_what_became_of_it(world: World, run: Run, bob: Client) -> None:
    proposal = Proposal.objects.get(run=run)
    before, after = proposal.file.raw_content, proposal.raw_content
    numbers = {one.number for one in changes_of(before, after) if "hazelnuts" not in one.new}
    picked = Pick(frozenset(numbers), {}, print_of(before, after))
    with write_transaction(world.team) as tx:
        proposals.accept_lines(tx, proposal, by=world.bob, picked=picked)
    assert "learned 2 things." in _page(bob, run)
    told = _told(bob, run).partition("hazelnuts")[2].partition("</li>")[0]
    assert ">rejected<" in told


def test_what_a_newer_night_proposed_again_is_what_that_one_is(
    world: World, run: Run, bob: Client
) -> None:
    note(world, None, NIGHT + timedelta(days=1), "Marta plays the cello.")
    newer = dream(world, None, NIGHT + timedelta(days=1))
    assert Proposal.objects.get(run=run).state == Proposal.State.REPLACED
    assert "asks you about 3." in _page(bob, run)
    with write_transaction(world.team) as tx:
        proposals.accept(tx, Proposal.objects.get(run=newer), by=world.bob)
    assert "learned 3 things." in _page(bob, run)


@pytest.mark.parametrize(
    ("resolution", "became"),
    [
        ("KEEP_A", "rejected"),
        ("KEEP_B", "accepted"),
        ("MERGE", "accepted"),
        ("IGNORE", "accepted"),
    ],
)
@pytest.mark.first_two
def test_a_contradiction_that_was_decided_waits_no_more(
    world: World,
    bob: Client,
    monkeypatch: pytest.MonkeyPatch,
    resolution: str,
    became: str,
) -> None:
    run = _disputed(Days(world, Clock(timezone.now(), monkeypatch)))
    assert "asks you about 1." in _page(bob, run)
    writer = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        found = Contradiction.objects.get(agent=world.agent)
        words = "Marta moved to Malmö." if resolution == "MERGE" else ""
        facts.resolve(tx, found, resolution, writer=writer, text=words)
    told = _told(bob, run)
    assert f">{became}<" in told
    assert WAITS not in told


def _disputed(days: Days) -> Run:
    by.memory(days, "Alice", "Marta lives in Munich.")
    days.ends()
    by.note(days, "Bob", "Marta lives in Gothenburg.")
    days.ends()
    return Run.objects.filter(report__operations__waits="rival").get()


def _page(client: Client, run: Run) -> str:
    return tight(client.get(url(run.team, "agents_run", run.pk)))


def _told(client: Client, run: Run) -> str:
    return _page(client, run).partition('id="story"')[2].partition("</section>")[0]
