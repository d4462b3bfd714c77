"""What is erased is gone from everywhere, and comes back by no way."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import system_owner
from memoryweb.audit.models import Label
from memoryweb.audit.verify import verify
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import erasing, finding, hiding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import (
    AuthorKind,
    Fact,
    File,
    ForgetRequest,
    Receipt,
    Revision,
    Tombstone,
)
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import in_place
from memoryweb.memory.writing.write import restore, write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.forgetting.asking import ECHO, MORNING, WEIGHT, lived
from tests.world import World

pytestmark = pytest.mark.django_db
WORDS = "62 kilos"


def forgotten(world: World, fact: Fact) -> ForgetRequest:
    """Asked, and due."""
    with write_transaction(world.team) as tx:
        request = open_request(tx, Wish(Memory(fact.agent, fact.owner), ForgetRequest.Via.API))
        found = finding.of_facts(Memory(fact.agent, fact.owner), [fact])
        hide(tx, request, found.meant, seconds=0)
    return request


def erased(world: World, fact: Fact) -> ForgetRequest:
    request = forgotten(world, fact)
    engine.tick(timezone.now() + timedelta(seconds=1))
    runs = list(engine.run_pending())
    assert [run.error for run in runs if run.kind == Run.Kind.ERASURE] == [""]
    request.refresh_from_db()
    return request


def texts() -> Iterator[tuple[str, str]]:
    """Every text of every row, as (place, text)."""
    with scopes_disabled():
        for model in apps.get_models():
            for row in model._base_manager.values_list():
                yield model._meta.label, json.dumps(row, default=str, ensure_ascii=False)


def holding(words: str) -> set[str]:
    return {label for label, text in texts() if words.casefold() in text.casefold()}


def test_no_row_has_it_any_more_and_a_receipt_says_so(world: World) -> None:
    request = erased(world, lived(world, world.customer))
    assert holding(WORDS) == set()
    assert holding("like tea") >= {"memory.File", "memory.Message", "memory.Fact"}
    receipt = Receipt.objects.get(request=request)
    assert request.state == ForgetRequest.State.ERASED
    assert receipt.remaining == 0
    assert receipt.hash == hiding.receipt_digest(receipt)
    assert receipt.counts["statements"] == 1
    assert receipt.counts["messages"] == 2
    assert receipt.scanned["memory.Passage"] >= 4
    assert verify(world.team.pk).ok


def test_what_was_sent_as_shared_goes_with_the_shared_statement(world: World) -> None:
    fact, theirs = lived(world, None), lived(world, world.customer, "I weigh 81 kilos.", "Noted.")
    request = erased(world, fact)
    assert holding(WORDS) == set()
    assert Receipt.objects.get(request=request).counts["messages"] == 2
    with write_transaction(world.team) as tx:
        again = NewMessage("user", WEIGHT, timestamp=MORNING)
        owner = system_owner(world.team)
        add_messages(tx, agent=world.agent, owner=owner, conversation_id="again", messages=[again])
    assert holding(WORDS) == set()
    erased(world, Fact.objects.get(pk=theirs.pk))
    assert holding("81 kilos") == set()


def test_history_keeps_its_place_and_no_hash_of_it(world: World) -> None:
    fact = lived(world, world.customer)
    file = fact.file
    assert file is not None
    before = Revision.objects.get(file=file, number=1).sha256
    erased(world, fact)
    first = Revision.objects.get(file=file, number=1)
    assert first.raw_text == "# Memory\n\n- [forgotten]\n- I like tea.\n"
    assert first.sha256 != before
    assert first.size == len(first.raw_text.encode())  # nor how long it was
    file.refresh_from_db()
    assert file.raw_content == "# Memory\n\n- I like tea.\n"
    assert content_of(file, 1) == first.raw_text


def test_an_old_revision_brings_nothing_back(world: World) -> None:
    fact = lived(world, world.customer)
    erased(world, fact)
    file = File.objects.select_related("agent", "owner").get(owner=fact.owner, path="MEMORY.md")
    with write_transaction(world.team) as tx:
        write(
            tx,
            Place(file.agent, file.owner, file.path),
            "# Memory\n",
            writer=Writer(AuthorKind.PERSON, user=world.bob),
        )
        restore(tx, file, 1, writer=Writer(AuthorKind.PERSON, user=world.bob))
    file.refresh_from_db()
    assert file.raw_content == "# Memory\n\n- I like tea.\n"


def test_another_owner_s_same_words_stay(world: World) -> None:
    theirs = lived(world, world.sender)
    erased(world, lived(world, world.customer))
    theirs.refresh_from_db()
    assert theirs.raw_text == WEIGHT
    assert Receipt.objects.get().remaining == 0
    assert "memory.Message" in holding(ECHO)


def test_a_run_that_had_read_it_begins_anew(world: World) -> None:
    fact = lived(world, world.customer)
    run = Run.objects.create(
        team=world.team,
        agent=world.agent,
        owner=world.customer,
        kind=Run.Kind.DREAM,
        status=Run.Status.RUNNING,
        phase=Run.Phase.ANSWER,
        lease_until=timezone.now() + timedelta(minutes=3),
        answer={"parts": [{"reason": WEIGHT}]},
        trigger="cron",
    )
    forgotten(world, fact)
    engine.tick(timezone.now() + timedelta(seconds=1))
    erasure = Run.objects.get(kind=Run.Kind.ERASURE)
    engine.work(erasure.pk)
    held, run_now = run, Run.objects.get(pk=run.pk)
    assert run_now.fence == held.fence + 1
    assert (run_now.status, run_now.phase, run_now.answer) == (Run.Status.QUEUED, "", None)


def test_under_a_legal_hold_it_stays_hidden_and_is_erased_after(world: World) -> None:
    fact = lived(world, world.customer)
    with write_transaction(world.team) as tx:
        hold = hiding.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.customer)
    request = forgotten(world, fact)
    with pytest.raises(hiding.OnHold), write_transaction(world.team) as tx:
        erasing.erase_now(tx, request, world.bob)
    engine.tick(timezone.now() + timedelta(seconds=1))
    list(engine.run_pending())
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.HELD
    assert holding(WORDS)
    with write_transaction(world.team) as tx:
        hiding.end_hold(tx, hold)
    engine.tick(timezone.now() + timedelta(seconds=1))
    list(engine.run_pending())
    assert holding(WORDS) == set()


def test_forgetting_twice_is_forgetting_once(world: World) -> None:
    fact = lived(world, world.customer)
    with write_transaction(world.team) as tx:
        again = open_request(tx, Wish(Memory(fact.agent, fact.owner), ForgetRequest.Via.API))
        hide(tx, again, finding.of_facts(Memory(fact.agent, fact.owner), [fact]).meant, seconds=0)
    erased(world, fact)
    assert holding(WORDS) == set()
    assert Receipt.objects.count() == 2


def test_a_word_that_everybody_says_is_taken_where_it_was_said_alone(world: World) -> None:
    fact = lived(world, world.customer, "yes.", "yes.")
    erased(world, fact)
    assert Tombstone.objects.count() == 0


def test_every_room_s_words_are_walked() -> None:
    """A table that belongs to no memory would be searched in the whole team."""
    of_all = {
        table.label
        for table in in_place.tables()
        if not table.within(Memory(Agent(), Owner())).children
    }
    assert of_all == {"api.Idempotency"}
    assert Label in {table.model for table in in_place.tables()}


def test_all_of_an_owner_goes(world: World) -> None:
    lived(world, world.customer)
    lived(world, world.sender)
    with write_transaction(world.team) as tx:
        erasing.erase_owner(tx, world.customer, world.alice)
    runs = list(engine.run_pending())
    assert {run.status for run in runs} == {Run.Status.SUCCEEDED}, [run.error for run in runs]
    world.customer.refresh_from_db()
    assert world.customer.external_id.startswith("erased-")
    assert not File.objects.filter(owner=world.customer).exists()
    assert File.objects.filter(owner=world.sender).exists()
    assert {receipt.remaining for receipt in Receipt.objects.all()} == {0}
    assert verify(world.team.pk).ok


def test_a_number_alone_and_what_others_wrote_stay(world: World) -> None:
    """Forgetting an age takes no other 34 away, and a line of a shared file no word beside it."""
    mine = Place(world.agent, world.customer, "MEMORY.md")
    shared = Place(world.agent, None, "KNOWLEDGE.md")
    other = "- Moors at pier 34 since May.\n"
    acme = "- Bob says that the budget is 5000 euros.\n"
    with scopes_disabled():
        with write_transaction(world.team) as tx:
            write(tx, mine, f"- Age: 34\n{other}", writer=Writer(AuthorKind.DREAM))
            writer = Writer(AuthorKind.PERSON, user=world.alice)
            file = write(tx, shared, f"- The budget is 5000 euros.\n{acme}", writer=writer).file
        erased(world, Fact.objects.get(raw_text="Age: 34"))
        with write_transaction(world.team) as tx:
            request = open_request(
                tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API)
            )
            hide(tx, request, [finding.line_mention(file, "The budget is 5000 euros.")], seconds=0)
        engine.tick(timezone.now() + timedelta(seconds=1))
        assert [run.error for run in engine.run_pending()] == [""]
        assert File.objects.get(path=mine.path, owner=mine.owner).raw_content == other
        assert File.objects.get(path=shared.path, owner=None).raw_content == acme
        assert not Tombstone.objects.filter(owner=None).exists()
