"""The OpenAPI description is valid, and a client that is generated from it works."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from pytest_django.live_server_helper import LiveServer

from memoryweb.api.urls import api
from memoryweb.runs.models import Run
from memoryweb.web.audit import OUTCOMES
from tests.snapshot import restored_world
from tests.world import World, integration_token

# The generated code is not formatted; archives are bytes like any other.
SETTINGS = """\
post_hooks: []
content_type_overrides:
  application/zip: application/octet-stream
"""
CALLS = (
    "conversations.send_messages",
    "conversations.read_conversation",
    "files.write_file",
    "files.read_file",
    "files.list_files",
    "dreaming.dream_now",
)


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    described: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
    return described


@pytest.mark.slow
def test_it_is_valid(description: dict[str, Any]) -> None:
    errors = OpenAPIV31SpecValidator(description).iter_errors()
    assert [f"{list(error.absolute_path)}: {error.message}" for error in errors] == []


def test_it_says_where_the_server_is(description: dict[str, Any]) -> None:
    assert [server["url"] for server in description["servers"]] == ["/"]


def test_every_schema_is_used_and_named_for_its_readers(description: dict[str, Any]) -> None:
    text = json.dumps(description)
    for name, schema in description["components"]["schemas"].items():
        assert f'"#/components/schemas/{name}"' in text
        assert schema["title"] == name
        assert not name.startswith("Items")
        assert not name.endswith("Out")


def test_every_operation_has_a_description_and_an_example(description: dict[str, Any]) -> None:
    for operation in _operations(description):
        answers = [answer.get("content", {}) for answer in operation["responses"].values()]
        shown = any("example" in content for answer in answers for content in answer.values())
        assert operation["description"], operation["operationId"]
        assert shown or "204" in map(str, operation["responses"]), operation["operationId"]
        if "requestBody" in operation:
            [body, *_others] = operation["requestBody"]["content"].values()
            assert "example" in body, operation["operationId"]


def test_every_example_fits_its_schema(description: dict[str, Any]) -> None:
    resolver = {"components": description["components"]}
    for operation in _operations(description):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for part in [*bodies, *operation["responses"].values()]:
            for content in part.get("content", {}).values():
                if "example" in content:
                    jsonschema_rs.validate({**resolver, **content["schema"]}, content["example"])


def _operations(description: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for methods in description["paths"].values() for one in methods.values()]


@pytest.mark.parametrize(
    ("schema", "field", "values"),
    [
        ("Run", "status", Run.Status.values),
        ("Run", "trigger", Run.Trigger.values),
        ("Report", "status", Run.Status.values),
        ("Candidate", "verdict", ["promoted", "kept", "rejected"]),
        ("Event", "outcome", sorted(set().union(*(meant for _name, meant in OUTCOMES.values())))),
    ],
)
def test_what_a_field_may_say_is_listed(
    description: dict[str, Any], schema: str, field: str, values: list[str]
) -> None:
    listed = description["components"]["schemas"][schema]["properties"][field]["enum"]
    assert sorted(listed) == sorted(values)


def test_bodies_take_no_other_fields(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    for name in ("ContextRequest", "MessageBatch", "MessageIn", "OwnerFields", "FileRestore"):
        assert schemas[name]["additionalProperties"] is False
    assert "additionalProperties" not in schemas["Run"]


@pytest.fixture
def client(
    description: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> SimpleNamespace:
    """What the generator made: its calls, and what they are made with."""
    (tmp_path / "openapi.json").write_text(json.dumps(description))
    (tmp_path / "settings.yml").write_text(SETTINGS)
    asked = ["--path", "openapi.json", "--output-path", "memory_client", "--meta", "none"]
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "openapi_python_client",
            "generate",
            "--config=settings.yml",
            *asked,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    told = made.stdout + made.stderr
    assert made.returncode == 0, told
    assert "WARNING" not in told, told
    monkeypatch.syspath_prepend(tmp_path)
    calls = {
        name.partition(".")[2]: importlib.import_module(f"memory_client.api.{name}").sync
        for name in CALLS
    }
    return SimpleNamespace(
        **calls,
        models=importlib.import_module("memory_client.models"),
        connect=importlib.import_module("memory_client").AuthenticatedClient,
    )


@pytest.mark.slow
def test_a_client_that_is_generated_from_it_works(
    live_server: LiveServer, client: SimpleNamespace
) -> None:
    world: World = restored_world()
    agent, models = str(world.agent.pk), client.models
    token = integration_token(world.integration)
    with client.connect(base_url=live_server.url, token=token) as memory:
        said = models.MessageIn(role=models.MessageInRole.USER, content="We arrive on Friday.")
        batch = models.MessageBatch(messages=[said], end_user_id="42")
        assert client.send_messages(agent, "feishu/room 1", client=memory, body=batch).added == 1
        whose = {"client": memory, "owner": "api:42"}
        talk = client.read_conversation(agent, "feishu/room 1", **whose)
        assert [message.content for message in talk.messages] == [said.content]

        text = models.FileWrite(content="# Lisbon\n\n- Ferries at noon.\n")
        client.write_file(agent, "notes/lisbon.md", body=text, **whose)
        assert client.read_file(agent, "notes/lisbon.md", **whose).content == text.content
        assert len(client.list_files(agent, **whose, limit=1).items) == 1
        missing = client.read_file(agent, "notes/porto.md", **whose)
        assert isinstance(missing, models.Problem)
        assert missing.code == "not_found"

        asked = client.dream_now(agent, client=memory, body=models.OwnerFields(end_user_id="42"))
        assert asked.runs[0].status is models.RunStatus.QUEUED
