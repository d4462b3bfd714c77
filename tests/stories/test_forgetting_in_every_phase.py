"""Something is forgotten and erased between any two transactions of a run that works on it: the
run ends well, and does not bring it back."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.transaction import Atomic
from django_scopes import scope, scopes_disabled

from memoryweb.dreaming import schedule
from memoryweb.memory.forgetting import erasing, finding, hiding
from memoryweb.memory.models import ForgetRequest, Receipt
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.lease import Lease
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, add, answer
from tests.extraction.talking import ask, talk
from tests.fakes import Behaviour, ModelServer, Received
from tests.forgetting.test_erasing import holding
from tests.stories.telling import says
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
GONE = "I collect rare stamps from Peru."
STAYS = "My sister Rosa lives in Lima."
SAID = (("user", "Hello there!"), ("user", "How are you?"), ("user", GONE), ("user", STAYS))


def _told(world: World) -> Run:
    says(world, "monday", GONE, STAYS)
    with write_transaction(world.team) as work:
        asked = schedule.request_night(
            work, Memory(world.agent, world.customer), NIGHT, trigger="command"
        )
    return asked.run


def _talked(world: World) -> Run:
    run = ask(world, talk(world, SAID), finished=True)
    assert run is not None
    return run


def _forget(world: World) -> None:
    with write_transaction(world.team) as work:
        found = finding.of_text(Memory(world.agent, world.customer), "stamps")
        asked = hiding.Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API, "stamps")
        request = hiding.open_request(work, asked)
        hiding.hide(work, request, found.meant)
        run = erasing.erase_now(work, request)
    engine.work(run.pk)


class Between:
    """Acts once, right before the run's step with that number: a transaction of its own, or a
    change of its row. What happens within a transaction nobody else's write comes between."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
        self.act, self.steps, self.at = act, 0, 0
        self._depth = len(connection.savepoint_ids)
        self._is_ours = False
        for kind, name in ((Atomic, "__enter__"), (Lease, "_update")):
            monkeypatch.setattr(kind, name, self._watched(getattr(kind, name)))

    def work(self, run: Run, at: int) -> bool:
        """False where it has no such step."""
        self.steps, self.at, self._is_ours = 0, at, True
        self._depth = len(connection.savepoint_ids)
        engine.work(run.pk)
        self._is_ours = False
        return self.steps >= at

    def _watched(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*args: Any, **named: Any) -> Any:
            if self._is_ours and len(connection.savepoint_ids) == self._depth:
                self.steps += 1
                if self.steps == self.at:
                    self._is_ours = False
                    with scopes_disabled():
                        self.act()
            return step(*args, **named)

        return watched


def _answers(asked: Received) -> Behaviour:
    """A dream writes all of its notes, an extraction all that was said."""
    if notes := asked.data.get("notes"):
        added = [add(one["text"].removeprefix("- 09:00 "), one["id"]) for one in notes]
        return Behaviour(json.dumps(answer(*added)))
    lines = [
        {"text": one["content"], "messageIds": [one["id"]], "durable": True}
        for one in asked.data["messages"][2:]
    ]
    said = {"should_update": True, "reason": "News.", "daily_entry": "", "lines": lines}
    return Behaviour(json.dumps(said))


@contextmanager
def _undone() -> Iterator[None]:
    """All of it, also what asks for a transaction of its own."""
    block: Any = transaction.atomic()
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("begin", [_told, _talked], ids=["dream", "extraction"])
def test_what_is_erased_between_two_steps_of_a_run_stays_away(
    world: World,
    begin: Callable[[World], Run],
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model_server.default = _answers
    run = begin(world)
    between = Between(monkeypatch, lambda: _forget(world))
    for at in count(1):
        with _undone():
            if not between.work(run, at):
                break
            assert {one.error for one in engine.run_pending()} <= {""}
            run.refresh_from_db()
            assert run.status == Run.Status.SUCCEEDED, at
            assert holding("stamps") == set(), at
            assert "memory.File" in holding("Lima"), at
            with scope(team=world.team):
                assert Receipt.objects.get().remaining == 0
    assert at > 4
