"""Memory tests by API. They tell what people took back: only people read them."""

from datetime import date
from functools import partial
from typing import Literal

from ninja import Query, Status
from pydantic import Field

from memoryweb.agents.models import Agent
from memoryweb.api import acting_owner, schemas
from memoryweb.api.auth import Caller, Request, Right, known_id
from memoryweb.api.problems import NotFound
from memoryweb.api.routing import Router
from memoryweb.memory import memory_tests
from memoryweb.memory.memory_tests import LONGEST, ListedTest
from memoryweb.memory.models.writer import Memory

router = Router(tags=["Memory tests"])

BASE = "/agents/{agent_id}/tests"


class MemoryTestIn(schemas.RequestBody):
    question: str = Field(max_length=LONGEST)
    must: str = Field("", max_length=LONGEST, description="What an answer has to hold.")
    must_not: str = Field("", max_length=LONGEST, description="What it may not hold.")
    as_of: date | None = Field(None, description="Of which day's memory; null: as it is now.")


class MemoryTestOut(schemas.Camel):
    """`notTrue`: a statement that was marked as not true; `id` is the fact's. `retired`: something
    said later holds, or its time is over."""

    id: schemas.Id
    owner: str
    question: str
    must: str
    must_not: str
    as_of: date | None
    state: Literal["active", "retired", "notTrue"]
    passed: bool | None = Field(description="Null where it was not run.")
    said: str = Field(description="A line that was found and holds what it may not.")


class MemoryTestRun(schemas.Camel):
    passed: int
    failed: int
    items: list[MemoryTestOut]


@router.operation("GET", BASE, Right.READ)
def list_memory_tests(
    request: Request, agent_id: str, query: Query[schemas.OwnerPaging]
) -> schemas.Items[MemoryTestOut]:
    """List memory tests, those that people made first."""
    memory = _memory(request.auth, agent_id, query)
    found = dict(enumerate(memory_tests.listed(memory)))
    shown = partial(_shown, memory)
    return schemas.page_by([*found], "{:06}".format, query, lambda n: shown(found[n]))


@router.operation("POST", BASE, Right.FACTS_OWN)
def make_memory_test(
    request: Request, agent_id: str, body: MemoryTestIn, query: Query[schemas.OwnerQuery]
) -> MemoryTestOut:
    """Make a memory test; the one that is there already if it asks the same."""
    memory = _to_change(request.auth, agent_id, query)
    with request.auth.write() as tx:
        made = memory_tests.add(tx, memory, **body.model_dump(), writer=request.auth.writer)
    return _shown(memory, ListedTest(made))


@router.operation("POST", BASE + "/run", Right.READ)
def run_memory_tests(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> MemoryTestRun:
    """Run memory tests on what an agent would be given now; up to 200, without a model."""
    memory = _memory(request.auth, agent_id, query)
    items = [_shown(memory, one) for one in memory_tests.run(memory)]
    passed = sum(bool(one.passed) for one in items)
    return MemoryTestRun(passed=passed, failed=len(items) - passed, items=items)


@router.operation("DELETE", BASE + "/{test_id}", Right.FACTS_OWN, status=204)
def delete_memory_test(
    request: Request, agent_id: str, test_id: str, query: Query[schemas.OwnerQuery]
) -> Status[None]:
    """Delete a memory test that a person made."""
    memory = _to_change(request.auth, agent_id, query)
    with request.auth.write() as tx:
        if not memory_tests.remove(tx, memory, known_id(test_id)):
            raise NotFound
    return Status(204, None)


def _agent(caller: Caller, agent_id: str) -> Agent:
    agent = caller.agent(agent_id)
    caller.require_person("Only a person can read or make memory tests.")
    return agent


def _memory(caller: Caller, agent_id: str, query: schemas.OwnerQuery) -> Memory:
    return Memory(_agent(caller, agent_id), acting_owner.asked(caller, query.owner))


def _to_change(caller: Caller, agent_id: str, query: schemas.OwnerQuery) -> Memory:
    memory = Memory(_agent(caller, agent_id), acting_owner.target(caller, query.owner))
    caller.require_for(memory.owner, Right.FACTS)
    return memory


def _shown(memory: Memory, one: ListedTest) -> MemoryTestOut:
    state = "notTrue" if one.fact else "retired" if one.is_retired else "active"
    told = {"owner": acting_owner.shown(memory.owner), "state": state}
    return MemoryTestOut.of(one.test, **told, passed=one.passed, said=one.said)
