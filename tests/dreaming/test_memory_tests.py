"""What memory tests keep a night from doing, and what they let it do."""

import json
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db.models import Q

from memoryweb.agents.models import Owner
from memoryweb.dreaming import memory_tests
from memoryweb.dreaming.decisions import decide
from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import (
    NOBODY,
    CitableLine,
    Does,
    LivingStatement,
    Material,
    Result,
    Utterance,
    Waits,
    Why,
    meant,
)
from memoryweb.dreaming.operations import Operation as Asked
from memoryweb.language.extraction_rules import claim_of
from memoryweb.memory.lines.source_classes import BY_TRUST
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import MemoryTest, Proposal, SourceClass
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.reverting import revert
from memoryweb.memory.review import proposals
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, TOOL, answer, dream, memory, note, text_of
from tests.fakes import ModelServer
from tests.memory.test_memory_tests import add, greens, listed, person
from tests.pace import assert_linear
from tests.stories.telling import says
from tests.web.pages import text, url
from tests.world import World, signed_in

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("memory_tests.jsonl").read_text().splitlines()
]
OLD = "The API limit is 100 requests a minute."
NEW = "The API limit is 60 requests a minute."
ASKED = "What is the API limit?"


# A file of changes that was written before the code.


def _by(who: str, day: str) -> Utterance:
    at = _moment(day)
    if who == "owner":
        return Utterance(at, "", BY_TRUST.index(SourceClass.OWNER), is_word=True)
    return Utterance(at, NOBODY, BY_TRUST.index(SourceClass.AGENT))


def _moment(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T09:00:00+00:00")


def _statement(id: str, text: str, who: str, day: str) -> LivingStatement:
    by = _by(who, day)
    claim = meant(claim_of(text, by.said_at.date() if by.said_at else None), text, by, ())
    return LivingStatement(id, text, claim, by)


def _operation(row: list[Any]) -> Asked:
    does, said, old, sources, *more = row
    return Asked(
        Does(does),
        said,
        tuple(f"s{n}" for n in old),
        tuple(f"n{n}" for n in sources),
        Why(more[0]) if does == "retire" else Why.SUPERSEDED,
        more[0] if does == "end" else "",
    )


def _changed(case: dict[str, Any]) -> tuple[Material, tuple[Result, ...]]:
    living = tuple(_statement(f"s{n}", *one) for n, one in enumerate(case["memory"]))
    noted = (_statement(f"n{n}", *one) for n, one in enumerate(case["said"]))
    said = tuple(CitableLine(it.id, it.text, it.by, claim=it.claim) for it in noted)
    material = Material(date(2026, 11, 20), living, said)
    by_rules = [["add", one.text, [], [n]] for n, one in enumerate(said)]
    return material, decide(material, [*map(_operation, case.get("does", by_rules))])


def _test(case: dict[str, Any]) -> MemoryTest:
    asked = case["test"]
    made = MemoryTest(question=asked["question"], must=asked["must"], must_not=asked["mustNot"])
    made.owner_id, made.created_at = UUID(int=1), _moment(asked["made"])
    return made


def _outcome(case: dict[str, Any]) -> str:
    material, results = _changed(case)
    kept, retired = memory_tests.held_back([_test(case)], material, results, ())
    if any(one.waits is Waits.TEST for one in kept):
        return "held back"
    return "retired" if retired else "passed"


def test_regressions_are_held_back_and_true_changes_are_not() -> None:
    found = Counter((case["kind"], _outcome(case)) for case in CASES)
    assert Counter(case["kind"] for case in CASES) == {"regression": 20, "true change": 40}
    assert found["regression", "held back"] >= 16
    assert found["true change", "held back"] == 0


def test_in_the_others_nothing_is_lost() -> None:
    """The night takes nothing away there: what must be held still stands."""
    for case in CASES:
        if case["kind"] == "regression" and _outcome(case) != "held back":
            _material, results = _changed(case)
            assert not any(one.gone or one.marked for one in results if one.is_applied)


def _forty_changes() -> tuple[Material, tuple[Result, ...]]:
    """Of three hundred statements."""
    texts = [f"Customer {n} gets order {n + 4000} on Tuesdays." for n in range(300)]
    living = [_statement(f"s{n}", it, "agent", "2026-09-01") for n, it in enumerate(texts)]
    said = [
        _statement(f"n{n}", it.replace("Tues", "Fri"), "agent", "2026-11-18").line
        for n, it in enumerate(texts[:40])
    ]
    material = Material(date(2026, 11, 20), tuple(living), tuple(said))
    asked = [Asked(Does.REPLACE, it.text, (f"s{n}",), (it.ref,)) for n, it in enumerate(said)]
    return material, decide(material, asked)


def _deliveries(count: int) -> list[MemoryTest]:
    must = "Customer {n} gets order {order} on Tuesdays."
    return [
        MemoryTest(
            question=f"When does customer {n} get it?",
            must=must.format(n=n, order=n + 4000),
            owner_id=UUID(int=1),
        )
        for n in range(count)
    ]


def test_of_a_full_memory_each_change_that_breaks_a_test_waits() -> None:
    kept, _retired = memory_tests.held_back(_deliveries(200), *_forty_changes(), ())
    assert [one.waits for one in kept] == [Waits.TEST] * 40


def test_time_grows_with_the_number_of_tests_only() -> None:
    material, results = _forty_changes()
    assert_linear(
        lambda tests: memory_tests.held_back(tests, material, results, ()), _deliveries, least=50
    )


def test_each_is_asked_however_many_say_more_of_it() -> None:
    case = dict(
        CASES[0], memory=[[OLD, "agent", "2026-09-01"]], said=[[NEW, "agent", "2026-11-18"]]
    )
    material, results = _changed(case | {"does": [["replace", NEW, [0], [0]]]})
    asked = {"question": "How many?", "must": "100", "mustNot": "", "made": "2026-10-01"}
    mine = _test({"test": asked})
    others = [
        _test({"test": asked | {"question": f"{OLD} {n}", "must": "API limit"}}) for n in range(25)
    ]
    kept, _retired = memory_tests.held_back([*others, mine], material, results, ())
    assert [one.waits for one in kept] == [Waits.TEST]


# Nights.


@pytest.fixture
def planned(world: World, model_server: ModelServer) -> None:
    """A model replaces the plan, and brings something else that is true."""
    memory(world, None, f"# Memory\n\n- {OLD}\n")
    note(world, None, NIGHT, NEW, "The lift is out of order.", writer=TOOL)
    model_server.answer(
        answer(
            {"op": "replace", "text": NEW, "old": ["s1"], "sources": ["n1"]},
            {"op": "add", "text": "The lift is out of order.", "sources": ["n2"]},
        )
    )


@pytest.mark.usefixtures("planned")
@pytest.mark.django_db
class TestModel:
    def test_what_turns_a_test_red_waits_and_the_rest_is_done(self, world: World) -> None:
        add(world, ASKED, OLD)
        run = dream(world, None)
        assert run.status == Run.Status.SUCCEEDED
        assert OLD in text_of(world, None)
        assert NEW not in text_of(world, None)
        assert "The lift is out of order." in text_of(world, None)
        assert Operation.objects.get(after=NEW).waits == "test"
        assert Proposal.objects.get().broken[0]["guard"] == "test"
        assert greens(world) == [True]
        assert "It would turn a memory test red" in text_of(world, None, "DREAMS.md")
        page = text(signed_in(world.bob).get(url(world.team, "agents_run", run.pk)))
        assert "It would turn a memory test red" in page

    def test_a_person_may_take_it(self, world: World) -> None:
        add(world, ASKED, OLD)
        dream(world, None)
        with write_transaction(world.team) as tx:
            proposals.accept(tx, Proposal.objects.get(), by=world.alice)
        assert NEW in text_of(world, None)
        assert OLD not in text_of(world, None)
        assert "The lift is out of order." in text_of(world, None)

    def test_what_was_rejected_is_not_proposed_again(self, world: World) -> None:
        add(world, ASKED, OLD)
        dream(world, None)
        with write_transaction(world.team) as tx:
            proposals.reject(tx, Proposal.objects.get(), by=world.alice)
        dream(world, None, NIGHT + timedelta(days=1))
        assert [one.state for one in Proposal.objects.all()] == ["rejected"]
        assert OLD in text_of(world, None)

    def test_a_test_that_was_red_before_holds_nothing_back(self, world: World) -> None:
        add(world, ASKED, "no limit", OLD)
        dream(world, None)
        assert NEW in text_of(world, None)
        assert not Proposal.objects.exists()

    def test_a_test_of_another_memory_holds_nothing_back(self, world: World) -> None:
        add(world, ASKED, OLD, owner=world.customer)
        dream(world, None)
        assert NEW in text_of(world, None)

    def test_what_is_to_be_asked_first_waits_as_ever(self, world: World) -> None:
        world.agent.policy = "review"
        world.agent.save()
        add(world, ASKED, OLD)
        run = dream(world, None)
        assert (run.status, run.reason) == (Run.Status.NEEDS_REVIEW, "policy")
        assert OLD in text_of(world, None)


@pytest.mark.django_db
def test_rules_keep_to_a_test(world: World) -> None:
    memory(world, None, f"# Memory\n\n- {OLD}\n")
    add(world, ASKED, "100 requests", "60 requests")
    note(world, None, NIGHT, NEW, writer=TOOL)
    run = dream(world, None)
    assert (run.consolidator, run.status, run.reason) == ("rules", "needs_review", "test")
    assert NEW not in text_of(world, None)
    assert Proposal.objects.get().state == "pending"


def _moved(world: World, owner: Owner) -> Run:
    says(world, "first", "I live in Porto.", day=NIGHT - timedelta(days=3), owner=owner)
    dream(world, owner, NIGHT - timedelta(days=2))
    add(world, "Where do I live?", "Porto", owner=owner)
    MemoryTest.objects.update(created_at=_moment(f"{NIGHT - timedelta(days=1)}"))
    says(world, "later", "We moved to Leeds.", day=NIGHT, owner=owner)
    return dream(world, owner)


@pytest.mark.django_db
def test_its_owners_later_word_retires_it_until_the_dream_is_reverted(world: World) -> None:
    bob = world.bobs_memory
    run = _moved(world, bob)
    assert "We moved to Leeds." in text_of(world, bob)
    assert MemoryTest.objects.get().retired_by == run
    [one] = listed(world, bob)
    assert one.is_retired
    client = signed_in(world.bob)
    page = text(client.get(url(world.team, "agents_tests", world.agent.pk, query="?owner=me")))
    assert "Something said later holds" in page
    with write_transaction(world.team) as tx:
        revert(tx, Source(world.agent, Kind.RUN, run.pk), Q(), Q(), writer=person(world))
    [one] = listed(world, bob)
    assert not one.is_retired


@pytest.mark.django_db
def test_what_they_said_before_it_does_not(world: World) -> None:
    bob = world.bobs_memory
    says(world, "first", "I live in Porto.", day=NIGHT - timedelta(days=3), owner=bob)
    dream(world, bob, NIGHT - timedelta(days=2))
    says(world, "later", "We moved to Leeds.", day=NIGHT, owner=bob)
    add(world, "Where do I live?", "Porto", owner=bob)  # made later than all that was said
    dream(world, bob)
    assert "We moved to Leeds." not in text_of(world, bob)
    assert MemoryTest.objects.get().retired_by is None


@pytest.mark.django_db
def test_what_is_over_retires_it(world: World) -> None:
    bob = world.bobs_memory
    due = NIGHT - timedelta(days=1)
    memory(world, bob, f"# Memory\n\n- The report is due on {due}.\n")
    add(world, "When is the report due?", f"{due}", owner=bob)
    run = dream(world, bob)
    assert MemoryTest.objects.get().retired_by == run
