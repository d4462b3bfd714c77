"""Many statements at once: accepted, written some at a time, and nobody waits for all of them."""

from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner
from memoryweb.memory.models import File, Revision
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.tools.facts import SLICE
from memoryweb.memory.writing import tombstones
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.api.callers import Callers
from tests.commands.calling import run
from tests.mem0.client import Mem0
from tests.walls.longest import longest_transaction
from tests.world import World

ANA = {"user_id": "ana"}
MANY = 2 * SLICE + 20


@pytest.fixture
def mem0(world: World, callers: Callers) -> Mem0:
    return Mem0(callers.helpdesk.token, str(world.agent.pk))


def texts(count: int, of: str = "Guest") -> list[str]:
    return [f"{of} {number} lives in Rua {number * 7} in Porto." for number in range(count)]


def sent(said: list[str]) -> dict[str, Any]:
    messages = [{"role": "user", "content": text} for text in said]
    return {"messages": messages, "infer": False, **ANA}


def stated(mem0: Mem0, said: list[str], status: int = 200) -> Any:
    return mem0("POST", "/v3/memories/add/", sent(said), status=status)


def status_of(mem0: Mem0, answer: Any) -> str:
    return str(mem0("GET", f"/v1/event/{answer['event_id']}/")["status"])


def lines() -> list[str]:
    content = File.objects.get(owner__external_id="ana", path="MEMORY.md").raw_content
    return [line[2:] for line in content.split("\n") if line.startswith("- ")]


def test_as_many_as_one_slice_are_there_at_once_by_one_revision(mem0: Mem0) -> None:
    answer = stated(mem0, texts(SLICE))
    assert [one["memory"] for one in answer["results"]] == texts(SLICE)
    assert len({one["id"] for one in answer["results"]}) == SLICE
    assert Revision.objects.filter(file__owner__external_id="ana").count() == 1
    # Said again: what is there.
    again = stated(mem0, texts(SLICE))["results"]
    assert again == answer["results"]
    assert lines() == texts(SLICE)


def test_of_more_a_run_is_answered_that_writes_them_in_their_order(mem0: Mem0) -> None:
    answer = stated(mem0, texts(MANY))
    assert (answer["status"], answer["results"]) == ("PENDING", [])
    assert status_of(mem0, answer) == "PENDING"
    run("run_pending", "--until-idle")
    assert status_of(mem0, answer) == "SUCCEEDED"
    assert lines() == texts(MANY)
    done = Run.objects.get(pk=answer["event_id"])
    # Nothing of the text stays where it waited.
    assert (done.inputs, done.result) == ({}, {"done": MANY})
    assert mem0("POST", "/v3/memories/", {"filters": ANA})["count"] == MANY


def test_no_transaction_holds_more_than_a_slice(mem0: Mem0) -> None:
    one = longest_transaction(lambda: stated(mem0, texts(SLICE, "Host")))
    accepting = longest_transaction(lambda: stated(mem0, texts(MANY)))
    writing = longest_transaction(lambda: list(engine.run_pending()))
    assert max(one, accepting, writing) <= 35, (one, accepting, writing)


def test_what_comes_while_a_run_waits_joins_it(mem0: Mem0) -> None:
    first, second = stated(mem0, texts(MANY)), stated(mem0, texts(SLICE + 1, "Cook"))
    assert first["event_id"] == second["event_id"]
    run("run_pending", "--until-idle")
    assert lines() == texts(MANY) + texts(SLICE + 1, "Cook")


def test_more_than_a_batch_may_hold_is_refused(mem0: Mem0) -> None:
    assert "1000" in stated(mem0, texts(1001), status=400)["detail"]


def test_an_empty_one_among_many_is_told_at_once(mem0: Mem0) -> None:
    assert stated(mem0, [*texts(MANY), "  "], status=400)["detail"].endswith(".")
    assert not Run.objects.exists()


@pytest.mark.parametrize("why", ["paused", "archived"])
def test_what_may_no_longer_be_written_is_left(world: World, mem0: Mem0, why: str) -> None:
    answer = stated(mem0, texts(MANY))
    if why == "paused":
        Owner.objects.filter(external_id="ana").update(keeping=False, using=False)
    else:
        Agent.objects.filter(pk=world.agent.pk).update(archived_at=timezone.now())
    engine.work(UUID(answer["event_id"]))
    done = Run.objects.get(pk=answer["event_id"])
    assert (done.status, done.reason, done.inputs) == ("skipped", why, {})


def test_what_is_refused_takes_nothing_along_that_waits_behind_it(mem0: Mem0) -> None:
    full = stated(mem0, [text + " sea" * 6000 for text in texts(SLICE + 1)])
    behind = stated(mem0, texts(MANY, "Late"))
    assert behind["event_id"] == full["event_id"]
    engine.work(UUID(full["event_id"]))
    assert set(texts(MANY, "Late")) <= set(lines())
    done = Run.objects.get(pk=full["event_id"])
    assert (done.status, done.reason) == ("failed", "content_refused")


def test_a_file_that_is_full_ends_the_run_and_says_so(mem0: Mem0) -> None:
    answer = stated(mem0, [text + " sea" * 6000 for text in texts(SLICE + 1)])
    engine.work(UUID(answer["event_id"]))
    done = Run.objects.get(pk=answer["event_id"])
    assert (done.status, done.reason, done.inputs) == ("failed", "content_refused", {})
    assert done.error == "A file may hold at most 1 MiB of text."
    assert status_of(mem0, answer) == "FAILED"


def test_what_was_erased_while_it_waited_is_not_written(world: World, mem0: Mem0) -> None:
    answer = stated(mem0, texts(MANY))
    ana = Owner.objects.get(external_id="ana")
    with write_transaction(world.team) as tx:
        tombstones.bury(world.team.pk, world.agent.pk, ana.pk, texts(1), tx.now)
    engine.work(UUID(answer["event_id"]))
    assert lines() == texts(MANY)[1:]
