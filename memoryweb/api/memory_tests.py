"""Memory tests by API. They tell what people took back: only people read them."""

from datetime import date
from typing import Literal

from ninja import Query
from pydantic import Field

from memoryweb.agents.models import Owner
from memoryweb.api import acting_owner, schemas
from memoryweb.api.auth import Caller, Request, Right
from memoryweb.api.routing import Router
from memoryweb.memory import memory_tests
from memoryweb.memory.memory_tests import ListedTest, MemoryTestResult
from memoryweb.memory.models.writer import Memory

router = Router(tags=["Memory tests"])

BASE = "/agents/{agent_id}/tests"
_WHO = "Only a person can read or make memory tests."


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


class MemoryTestIn(schemas.RequestBody):
    question: str = Field(max_length=memory_tests.LONGEST)
    must: str = Field(
        "", max_length=memory_tests.LONGEST, description="What an answer has to hold."
    )
    must_not: str = Field(
        "", max_length=memory_tests.LONGEST, description="What it may not hold; one of the two."
    )
    as_of: date | None = Field(
        None, description="Asked of the memory as it was on this day; null: as it is."
    )


class MemoryTestResultOut(MemoryTestOut):
    passed: bool
    is_missing: bool = Field(description="What it must hold is not there.")
    said: str = Field(description="A line that holds what it must not; empty where there is none.")


class MemoryTestRun(schemas.Camel):
    passed: int
    failed: int
    items: list[MemoryTestResultOut]


@router.operation("GET", BASE, Right.READ)
def list_memory_tests(
    request: Request, agent_id: str, query: Query[schemas.OwnerPaging]
) -> schemas.Items[MemoryTestOut]:
    """List memory tests, those that people made first."""
    memory = _memory(request.auth, agent_id, query)
    found = list(enumerate(memory_tests.listed(memory)))
    return schemas.page_by(
        found, lambda one: f"{one[0]:06}", query, lambda one: _shown(one[1], memory.owner)
    )


@router.operation("POST", BASE, Right.FACTS_OWN)
def make_memory_test(
    request: Request, agent_id: str, body: MemoryTestIn, query: Query[schemas.OwnerQuery]
) -> MemoryTestOut:
    """Make a memory test; the one that is there already if it asks the same."""
    caller = request.auth
    caller.require_person(_WHO)
    memory = Memory(caller.agent(agent_id), acting_owner.target(caller, query.owner))
    caller.require_for(memory.owner, Right.FACTS)
    with caller.write() as tx:
        made = memory_tests.add(tx, memory, **body.model_dump(), writer=caller.writer)
    return _shown(ListedTest(made), memory.owner)


@router.operation("POST", BASE + "/run", Right.READ)
def run_memory_tests(
    request: Request, agent_id: str, query: Query[schemas.OwnerQuery]
) -> MemoryTestRun:
    """Run memory tests on what an agent would be given now; up to 200, without a model."""
    memory = _memory(request.auth, agent_id, query)
    results = memory_tests.run(memory, memory_tests.listed(memory))
    passed = sum(one.is_green for one in results)
    items = [_result(one, memory.owner) for one in results]
    return MemoryTestRun(passed=passed, failed=len(items) - passed, items=items)


def _memory(caller: Caller, agent_id: str, query: schemas.OwnerQuery) -> Memory:
    caller.require_person(_WHO)
    return acting_owner.readable(caller, agent_id, query.owner)


def _shown(one: ListedTest, owner: Owner | None) -> MemoryTestOut:
    state = "notTrue" if one.fact else "retired" if one.is_retired else "active"
    return MemoryTestOut.of(one.test, owner=acting_owner.shown(owner), state=state)


def _result(one: MemoryTestResult, owner: Owner | None) -> MemoryTestResultOut:
    verdict = {"passed": one.is_green, "is_missing": not one.has_all, "said": one.said}
    return MemoryTestResultOut(**_shown(one.listed, owner).model_dump(), **verdict)
