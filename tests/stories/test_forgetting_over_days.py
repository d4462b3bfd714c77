"""Something is to be forgotten, and before it is erased a night, an import, a second request or a
change of mind comes between."""

import io
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Reader
from memoryweb.memory.facts import not_true
from memoryweb.memory.forgetting import erasing, finding, hiding, requests
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest, Receipt
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.snapshots import service
from memoryweb.memory.visible.request_contents import tell
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.lease import Lease
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream
from tests.forgetting.test_erasing import holding
from tests.snapshots.archives import of
from tests.stories.telling import prompt, says
from tests.world import World

pytestmark = pytest.mark.django_db
WORDS = "stamps"
SAID = "I collect rare stamps from Peru."


@pytest.fixture
def told(world: World) -> World:
    """Said, noted, dreamt: it stands in MEMORY.md."""
    says(world, "monday", SAID, "My sister Rosa lives in Lima.")
    dream(world, world.customer)
    assert SAID in memory(world).raw_content
    return world


def memory(world: World) -> File:
    with scope(team=world.team):
        files = File.objects.select_related("agent", "owner")
        return files.get(owner=world.customer, path="MEMORY.md")


def asked(world: World) -> ForgetRequest:
    file = memory(world)
    number = next(n for n, line in enumerate(file.raw_content.split("\n"), 1) if SAID in line)
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.bob)
        return requests.forget_lines(
            tx, file, [number], expected=file.sha256, writer=writer, is_theirs=True
        )


def undone(world: World, request: ForgetRequest) -> None:
    with write_transaction(world.team) as tx:
        hiding.undo(tx, request)


def erased(world: World, request: ForgetRequest) -> None:
    with write_transaction(world.team) as tx:
        erasing.erase_now(tx, request)
    assert {run.error for run in engine.run_pending()} == {""}


def found(world: World) -> bool:
    with scope(team=world.team):
        reader = Reader(world.agent, world.customer)
        return any(WORDS in hit.text for hit in search(reader, "rare stamps Peru").hits)


def imported(world: World) -> None:
    """What was exported a moment ago, by its person."""
    with write_transaction(world.team) as tx:
        archive = service.export(tx, Memory(world.agent, world.customer)).archive
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            assert not any(WORDS.encode() in opened.read(name) for name in opened.namelist())
        person = Writer(AuthorKind.PERSON, user=world.bob)
        shown = service.preview(Memory(world.agent, world.customer), archive, by=person)
        service.apply(tx, Memory(world.agent, world.customer), archive, shown.token, by=person)


def test_a_dream_between_keeps_it_hidden_and_undo_brings_it_back(told: World) -> None:
    request = asked(told)
    says(told, "tuesday", "I have a parrot called Ada.", day=NIGHT + timedelta(days=1))
    dream(told, told.customer, NIGHT + timedelta(days=1))
    assert not found(told)
    undone(told, request)
    assert SAID in memory(told).raw_content
    assert found(told)
    dream(told, told.customer, NIGHT + timedelta(days=2))
    assert SAID in memory(told).raw_content
    assert Fact.objects.get(raw_text=SAID, owner=told.customer).state == Fact.State.ACTIVE


def test_an_import_of_what_was_exported_meanwhile_takes_nothing_away(told: World) -> None:
    request = asked(told)
    imported(told)
    assert not found(told)
    undone(told, request)
    assert SAID in memory(told).raw_content
    assert found(told)


def test_after_an_import_it_is_erased_and_no_old_revision_brings_it_back(told: World) -> None:
    request = asked(told)
    imported(told)
    erased(told, request)
    assert holding(WORDS) == set()
    file = memory(told)
    with write_transaction(told.team) as tx:
        for number in range(1, file.revision + 1):
            write.restore(tx, file, number, writer=Writer(AuthorKind.PERSON, user=told.bob))
    assert holding(WORDS) == set()
    assert Receipt.objects.get().remaining == 0


@pytest.mark.parametrize("is_undone", [False, True], ids=["erased", "undone"])
def test_what_is_written_again_meanwhile_is_hidden_with_it(told: World, is_undone: bool) -> None:
    """By the agent, that has it in its window, by a replay, and by an older archive."""
    request = asked(told)
    says(told, "replayed", SAID)
    person, agent = Writer(AuthorKind.PERSON, user=told.bob), Writer(AuthorKind.AGENT)
    with write_transaction(told.team) as tx:
        note = Place(told.agent, told.customer, "memory/2026-11-21.md")
        line = NewLine("- 10:00 The user collects rare stamps from Peru.")
        write.append(tx, note, [line], writer=agent)
    archive = of({"MEMORY.md": f"# Memory\n\n- {SAID}\n", "PROFILE.md": f"# Me\n\n- {SAID}\n"})
    with write_transaction(told.team) as tx:
        shown = service.preview(Memory(told.agent, told.customer), archive, by=person)
        service.apply(tx, Memory(told.agent, told.customer), archive, shown.token, by=person)
    dream(told, told.customer, NIGHT + timedelta(days=2))
    assert not found(told)
    assert WORDS not in prompt(told, "Which rare stamps do I collect?")
    if is_undone:
        undone(told, request)
        assert SAID in memory(told).raw_content
        assert WORDS in prompt(told, "Which rare stamps do I collect?")
    else:
        erased(told, request)
        assert holding(WORDS) == set()


def test_what_its_owner_says_again_after_the_request_stays(told: World) -> None:
    """Nights, and the moment at which it would have been erased, change nothing of it."""
    request = asked(told)
    says(told, "later", SAID, said=timezone.now() + timedelta(seconds=1), is_noted=False)
    assert WORDS in prompt(told, "Which rare stamps do I collect?")
    request.refresh_from_db()
    assert (request.state, request.erase_at) == (ForgetRequest.State.OPEN, None)
    assert {one.text for one in tell(request).candidates} == {SAID}
    with write_transaction(told.team) as tx:
        erasing.queue_due(tx.now + timedelta(days=2))
    assert not list(engine.run_pending())
    dream(told, told.customer, NIGHT + timedelta(days=2))
    assert SAID in memory(told).raw_content
    assert found(told)


@pytest.mark.parametrize(
    "later",
    [
        "Why do you still say that I collect rare stamps from Peru?",
        "I collect rare stamps from Peru?",
        "I told you to forget that I collect rare stamps from Peru.",
        "I don't collect rare stamps from Peru.",
        "Please forget that I collect rare stamps from Peru.",
    ],
)
@pytest.mark.first_two
def test_a_complaint_that_has_its_words_keeps_nothing(told: World, later: str) -> None:
    request = asked(told)
    says(told, "later", later, said=timezone.now() + timedelta(seconds=1), is_noted=False)
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.HIDDEN
    assert f"- {SAID}" not in prompt(told, "Which rare stamps do I collect?")


def test_what_its_owner_writes_again_in_the_editor_stays(told: World) -> None:
    request, owner = asked(told), Writer(AuthorKind.PERSON, user=told.bob)
    with write_transaction(told.team) as tx:
        place = Place(told.agent, told.customer, "PROFILE.md")
        write.write(tx, place, f"# Me\n\n- {SAID}\n", writer=owner)
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.OPEN
    assert found(told)


def test_what_is_not_true_stays_out_also_when_forgetting_it_is_undone(told: World) -> None:
    request = asked(told)
    with write_transaction(told.team) as tx:
        fact = Fact.objects.get(raw_text=SAID, owner=told.customer, file__path="MEMORY.md")
        not_true(tx, fact, writer=Writer(AuthorKind.PERSON, user=told.bob))
    undone(told, request)
    assert SAID not in memory(told).raw_content
    fact.refresh_from_db()
    assert fact.state == Fact.State.RETIRED


def test_of_two_requests_for_one_line_one_keeps_it_hidden(told: World) -> None:
    first, second = asked(told), asked(told)
    undone(told, first)
    assert not found(told)
    undone(told, second)
    assert found(told)


def test_erasing_one_request_leaves_nothing_of_another_that_was_undone(told: World) -> None:
    first, second = asked(told), asked(told)
    undone(told, second)
    erased(told, first)
    assert holding(WORDS) == set()


def test_a_dream_after_the_erasure_writes_it_no_more(told: World) -> None:
    erased(told, asked(told))
    dream(told, told.customer, NIGHT + timedelta(days=2))
    assert holding(WORDS) == set()


def test_a_dream_that_has_read_it_ends_without_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is erased right after the dream has stored what it read; another worker goes on."""
    says(world, "monday", SAID, "My sister Rosa lives in Lima.")
    store, forgotten = Lease.store, list[str]()

    def forgets(lease: Lease, phase: Run.Phase | str, **fields: Any) -> None:
        store(lease, phase, **fields)
        if lease.run.kind == Run.Kind.DREAM and not forgotten:
            assert lease.run.inputs["notes"]
            forgotten.append(SAID)
            with write_transaction(world.team) as tx:
                found = finding.of_text(Memory(world.agent, world.customer), SAID)
                asked = hiding.Wish(
                    Memory(world.agent, world.customer), ForgetRequest.Via.API, "stamps"
                )
                request = hiding.open_request(tx, asked)
                hiding.hide(tx, request, found.meant)
                run = erasing.erase_now(tx, request)
            engine.work(run.pk)

    monkeypatch.setattr(Lease, "store", forgets)
    run = dream(world, world.customer)
    assert (forgotten, run.status) == ([SAID], Run.Status.QUEUED)
    list(engine.run_pending())
    assert holding(WORDS) == set()
    assert "Lima" in memory(world).raw_content
    assert Receipt.objects.get().remaining == 0


def test_saying_it_again_after_it_was_erased_keeps_it(told: World) -> None:
    erased(told, asked(told))
    says(told, "wednesday", SAID, day=NIGHT + timedelta(days=2), is_timed=False)
    assert found(told)
    place = Place(told.agent, told.customer, "MEMORY.md")
    with write_transaction(told.team) as tx:
        text = f"{memory(told).raw_content}- {SAID}\n"
        write.write(tx, place, text, writer=Writer(AuthorKind.DREAM))
    assert SAID in memory(told).raw_content
