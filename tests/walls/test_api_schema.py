"""The API keeps what its OpenAPI description says, whatever is sent to it."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django_scopes import scope
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memoryweb.wsgi import application
from tests.api.callers import callers_of
from tests.snapshot import restored
from tests.walls.api_routes import ROUTES
from tests.walls.api_stage import furnish
from tests.world import World

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


IDS = {"conversation": "c-1", "path": "MEMORY.md"}
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_one_connection")]


@pytest.fixture
def _one_connection() -> Iterator[None]:
    """The application under test would close the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@cache
def described() -> Any:
    """Made for who tries it: each process collects all tests, and this takes seconds."""
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)


@cache
def operations() -> dict[str, Any]:
    """By their names, which are those of the table: test_api_access."""
    found = [one.ok() for one in described().get_all_operations() if isinstance(one, Ok)]
    return {one.definition.raw["operationId"]: one for one in found}


@pytest.mark.parametrize("name", ROUTES)
def test_every_operation_answers_as_described(name: str, world: World) -> None:
    operation = operations()[name]
    callers = restored("callers", lambda: callers_of(world))
    stage = restored("described", lambda: furnish(world.home))
    token = f"Bearer {callers.admin.token}"
    known = IDS | {"agent_id": stage.agent, "run_id": stage.run, "report_id": stage.run}

    @given(case=operation.as_strategy())
    @settings(
        max_examples=max(1, settings().max_examples // 25),  # twenty with the soak profile
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def answers(case: Any) -> None:
        for name in case.path_parameters.keys() & known.keys():
            case.path_parameters[name] = known[name]
        with scope():
            case.call_and_validate(checks=CHECKS, headers={"Authorization": token})

    answers()
