"""The installation's model in the browser: for a superuser of a server that listens here alone."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from memoryweb.accounts.models import User
from memoryweb.accounts.teams import system_team
from memoryweb.audit.models import Event
from memoryweb.llm import local_models
from memoryweb.llm.endpoint import configured, endpoint_for
from memoryweb.llm.models import INSTALLATION, TeamModel
from tests.web.pages import text, tight, url
from tests.world import World

KEY = "key-of-the-installation-4711"
HERE: dict[str, Any] = {"SERVER_NAME": "127.0.0.1"}


@pytest.fixture
def superuser(world: World, alice: Client, settings: Any) -> Client:
    settings.MODEL_PROVIDER = settings.MODEL_BASE_URL = ""
    User.objects.filter(pk=world.alice.pk).update(is_superuser=True)
    return alice


def address(world: World) -> str:
    return url(world.team, "settings_installation_model")


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """A server of models in place of Ollama; nothing else listens. What it says may be changed."""
    said = [json.dumps({"data": [{"id": "small-model"}, {"id": "<b>large</b>"}]}).encode()]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/v1/models" else 404)
            self.end_headers()
            self.wfile.write(said[0])

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,)).start()
    closed = "http://127.0.0.1:1/v1"
    found = dict.fromkeys(local_models.ADDRESSES, closed)
    found["Ollama"] = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setattr(local_models, "ADDRESSES", found)
    yield said
    server.shutdown()
    server.server_close()


def test_chat_leads_to_it_and_back(world: World, superuser: Client) -> None:
    chat = url(world.team, "agents_chat", world.agent.pk)
    assert address(world) in text(superuser.get(chat, **HERE))
    assert address(world) not in text(superuser.get(chat))
    asked = {"service": "anthropic", "model": "some-model", "key": KEY, "next": chat}
    assert superuser.post(address(world), asked, **HERE)["Location"] == chat
    assert "Set up a model" not in text(superuser.get(chat, **HERE))
    found = endpoint_for(world.team.pk, "chat", local_only=False)
    assert found.url == "https://api.anthropic.com/v1/messages"
    assert (found.model, found.key, found.is_public) == ("some-model", KEY, False)
    assert not configured(world.team.pk, local_only=True)


def test_its_key_is_sealed_and_its_event_is_the_installation_s(
    world: World, superuser: Client
) -> None:
    asked = {"service": "openai", "model": "some-model", "key": KEY}
    page = text(superuser.post(address(world), asked, follow=True, **HERE))
    assert "All teams can use it now" in page
    row = TeamModel.objects.get(team_id=INSTALLATION)
    assert KEY.encode() not in bytes(row.sealed_key)
    assert KEY not in page + text(superuser.get(address(world), **HERE))
    event = Event.objects.get(team_id=system_team().pk, action="model.changed")
    assert event.actor_id == str(world.alice.pk)
    assert json.loads(event.details) == {"key": "set"}
    superuser.post(address(world), {"remove": ""}, **HERE)
    row.refresh_from_db()
    assert (row.base_url, row.sealed_key) == ("", b"")
    assert Event.objects.filter(team_id=system_team().pk, action="model.removed").exists()
    assert not configured(world.team.pk)


def test_what_runs_here_is_found_and_used(
    world: World, superuser: Client, listening: list[bytes]
) -> None:
    page = tight(superuser.post(address(world), {"find": ""}, **HERE))
    assert "Use small-model of Ollama" in page
    assert "<b>large</b>" not in page
    superuser.post(address(world), {"service": "Ollama", "model": "small-model"}, **HERE)
    assert endpoint_for(world.team.pk, "default", local_only=False).url == (
        "http://127.0.0.1:11434/v1/chat/completions"
    )


@pytest.mark.parametrize("said", [b"", b"[]", b'{"data": [{"id": 1}]}', b"x" * 30_000_000])
def test_what_answers_with_anything_else_is_not_listed(
    world: World, superuser: Client, listening: list[bytes], said: bytes
) -> None:
    listening[0] = said
    assert "Nothing answered" in text(superuser.post(address(world), {"find": ""}, **HERE))


def test_bad_input_is_told(world: World, superuser: Client, settings: Any) -> None:
    asked = {"service": "openai", "model": "some-model", "key": "two words"}
    assert "such as spaces" in text(superuser.post(address(world), asked, **HERE))
    assert superuser.post(address(world), asked | {"service": "other"}, **HERE).status_code == 422
    settings.MODEL_HOSTS = ["models.example"]
    refused = superuser.post(address(world), asked | {"key": KEY}, **HERE)
    assert "not one of those in MEMORYWEB_MODEL_HOSTS" in text(refused)
    assert not TeamModel.objects.exists()


@pytest.mark.parametrize("where", ["0.0.0.0", "192.0.2.7", "testserver"])
def test_nobody_sets_it_up_from_afar(world: World, superuser: Client, where: str) -> None:
    assert (
        superuser.get(address(world), SERVER_NAME=where, HTTP_HOST="testserver").status_code == 404
    )


def test_it_is_for_superusers_where_the_operator_has_set_none(
    world: World, superuser: Client, bob: Client, settings: Any
) -> None:
    assert superuser.get(address(world), **HERE).status_code == 200
    assert bob.get(address(world), **HERE).status_code == 404
    settings.MODEL_PROVIDER = "openai"
    assert superuser.get(address(world), **HERE).status_code == 404
