"""An erasure goes in steps: it is ended after a crash between any two, and a hold stops it."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.signals import pre_delete
from django.utils import timezone

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import erasing, hiding, removal
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import Fact, ForgetRequest, LegalHold, Message, Receipt, Target
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.visible.hidden import of_targets
from memoryweb.memory.writing import in_place
from memoryweb.runs import engine
from memoryweb.runs.lease import Lease
from memoryweb.runs.models import Run
from tests.forgetting.asking import MORNING, lived
from tests.forgetting.test_erasing import forgotten, holding
from tests.world import World

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """As by a signal: nothing that cleans up runs."""


def said_often(world: World, times: int) -> ForgetRequest:
    """A request that hides the middle of each message, in different words."""
    talk = [NewMessage("user", f"Rain. Secret word {n} of mine. Tea.") for n in range(times)]
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=talk
        )
        request = open_request(tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API))
        places = [
            Mention(Target.Kind.MESSAGE, "", message=one, first=6, last=len(one.raw_content) - 5)
            for one in Message.objects.all()
        ]
        hide(tx, request, places, seconds=0)
    return request


def queued() -> Run:
    engine.tick(timezone.now() + timedelta(seconds=1))
    return Run.objects.get(kind=Run.Kind.ERASURE, status=Run.Status.QUEUED)


def test_killed_before_and_after_each_step_it_ends_clean(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = (removal.take_messages, 2, removal.PARTS["messages"][2])
    monkeypatch.setitem(removal.PARTS, "messages", few)
    request = said_often(world, 5)
    run = queued()
    advance, deaths = Lease.advance, dict[str, int]()

    def dies(self: Lease, phase: Any, **fields: Any) -> None:
        step = repr(fields.get("checked"))
        deaths[step] = deaths.get(step, 0) + 1
        if deaths[step] == 2:
            advance(self, phase, **fields)
        if deaths[step] <= 2:
            raise Killed
        advance(self, phase, **fields)

    monkeypatch.setattr(Lease, "advance", dies)
    while run.status != Run.Status.SUCCEEDED:
        with suppress(Killed):
            engine.work(run.pk)
        run.refresh_from_db()
        if run.status != Run.Status.SUCCEEDED:  # another worker takes it up
            Run.objects.filter(pk=run.pk).update(status=Run.Status.QUEUED, fence=F("fence") + 1)
    request.refresh_from_db()
    assert len(deaths) > 8
    assert request.state == ForgetRequest.State.ERASED
    contents = set(Message.objects.values_list("raw_content", flat=True))
    assert contents == {"Rain. [forgotten] Tea."}
    assert not Target.objects.exists()
    assert run.inputs == {}


def test_a_look_through_the_tables_of_another_version_begins_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which told its place by a number, of tables in an order of its own."""
    request = said_often(world, 1)
    run = queued()
    advance, places = Lease.advance, list[Any]()

    def dies(self: Lease, phase: Any, **fields: Any) -> None:
        advance(self, phase, **fields)
        places.append((fields.get("checked") or {}).get("after"))
        if isinstance(places[-1], dict) and "table" in places[-1]:
            raise Killed

    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(Lease, "advance", dies)
        engine.work(run.pk)
    run.refresh_from_db()
    assert "table" in places[-1]
    run.checked["after"] = {"table": 3, "last": str(world.team.pk)}
    run.result |= {"scanned": {"workspace.File": 9}, "remaining": 9, "done": 9}
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.QUEUED, fence=F("fence") + 1, checked=run.checked, result=run.result
    )
    engine.work(run.pk)
    receipt = Receipt.objects.get(request=request)
    assert receipt.remaining == 0
    assert set(receipt.scanned) == {table.label for table in in_place.tables()}


def test_what_another_request_hides_of_the_same_message_moves_along(world: World) -> None:
    said = ["I collect stamps from Peru.", "My car is red.", "Ada sings on Mondays."]
    text, asked = " ".join(said), []
    with write_transaction(world.team) as tx:
        talk = [NewMessage("user", text)]
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=talk
        )
        message = Message.objects.get()
        for one, seconds in ((said[0], 0), (said[2], 3600), (said[0], 3600)):
            request = open_request(
                tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API)
            )
            first = text.index(one)
            place = Mention(
                Target.Kind.MESSAGE, one, message=message, first=first, last=first + len(one)
            )
            hide(tx, request, [place], seconds=seconds)
            asked.append(request)
    engine.work(queued().pk)
    message.refresh_from_db()
    assert (
        of_targets(asked[1].targets.all()).said(message) == "[forgotten] My car is red. [forgotten]"
    )
    assert not asked[2].targets.exists()


def test_many_messages_go_in_transactions_of_their_own(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    said_often(world, 25)
    steps: list[int] = []
    take, most, table = removal.PARTS["messages"]
    assert most == 100

    def counted(tx: Any, going: Any, keys: Any) -> None:
        steps.append(len(keys))
        take(tx, going, keys)

    monkeypatch.setitem(removal.PARTS, "messages", (counted, 10, table))
    engine.work(queued().pk)
    assert steps == [10, 10, 5]


def test_a_hold_stops_a_run_that_has_begun_and_its_end_lets_it_go_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = forgotten(world, lived(world, world.customer))
    from_past = erasing._from_past
    made: list[LegalHold] = []

    def late(lease: Any, memory: Any, after: Any) -> Any:
        if not made:
            with write_transaction(world.team) as tx:
                made.append(hiding.make_hold(tx, by=world.alice, reason="Claim 7"))
        return from_past(lease, memory, after)

    monkeypatch.setattr(erasing, "_from_past", late)
    run = queued()
    engine.work(run.pk)
    run.refresh_from_db()
    request.refresh_from_db()
    assert (run.status, run.reason) == (Run.Status.SKIPPED, "legal_hold")
    assert request.state == ForgetRequest.State.HELD
    assert not Receipt.objects.exists()
    with pytest.raises(hiding.NothingToUndo), write_transaction(world.team) as tx:
        hiding.undo(tx, request)
    with write_transaction(world.team) as tx:
        hiding.end_hold(tx, made[0])
    engine.work(queued().pk)
    assert holding("62 kilos") == set()
    assert Receipt.objects.get().counts["statements"] == 1


@pytest.mark.parametrize("is_held", [True, False])
def test_a_whole_owner_stays_where_it_is_undone_or_held_before_the_run(
    world: World, is_held: bool
) -> None:
    lived(world, world.customer)
    run = whole(world)
    with write_transaction(world.team) as tx:
        if is_held:
            hiding.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.customer)
        else:
            hiding.undo(tx, ForgetRequest.objects.get(agent=world.agent))
    engine.work(run.pk)
    assert Fact.objects.filter(owner=world.customer).exists()


def test_a_hold_stops_the_erasure_of_a_whole_owner(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(world, world.customer)
    run = whole(world)
    delete_some = erasing.delete_some

    def late(lease: Any, memory: Any, after: Any) -> Any:
        done = delete_some(lease, memory, after)
        if after is None:
            with write_transaction(world.team) as tx:
                hiding.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.customer)
                with pytest.raises(hiding.NothingToUndo):
                    hiding.undo(tx, ForgetRequest.objects.get(agent=world.agent))
        return done

    monkeypatch.setattr(erasing, "delete_some", late)
    engine.work(run.pk)
    run.refresh_from_db()
    assert (run.status, run.reason) == (Run.Status.SKIPPED, "legal_hold")
    assert Fact.objects.filter(owner=world.customer).exists()
    assert not Message.objects.filter(conversation__owner=world.customer).exists()


def test_messages_go_before_their_conversations(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "STEP_OF_MESSAGES", 2)
    talk = [NewMessage("user", f"Tea {n}", timestamp=MORNING) for n in range(7)]
    with write_transaction(world.team) as tx:
        add_messages(
            tx, agent=world.agent, owner=world.customer, conversation_id="talk", messages=talk
        )
    left: list[int] = []
    pre_delete.connect(
        lambda instance, **_: left.append(Message.objects.count()),
        sender="memory.Conversation",
        weak=False,
        dispatch_uid="left",
    )
    try:
        engine.work(whole(world).pk)
    finally:
        pre_delete.disconnect(sender="memory.Conversation", dispatch_uid="left")
    assert left == [0]


def whole(world: World) -> Run:
    with write_transaction(world.team) as tx:
        erasing.erase_owner(tx, world.customer, world.alice)
    return Run.objects.get(kind=Run.Kind.ERASURE, agent=world.agent)
