"""The Python client, built as a wheel and imported from it; its hosts are tried by
`scripts/python_client.py`."""

import asyncio
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import Client
from django_scopes import scope

from memoryweb.memory.models import AuthorKind, Message
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers
from tests.api.conftest import built, callers, world
from tests.world import World

__all__ = ["built", "callers", "world"]

FOLDER = settings.BASE_DIR / "clients" / "python"
SAID = [
    {"id": "m1", "role": "user", "content": "I own a bakery in Leeds."},
    {"role": "tool", "content": "{}"},
    {"role": "assistant", "content": ""},
]


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    where = ["--no-build-isolation", "--wheel-dir", str(folder), str(FOLDER)]
    subprocess.run([*pip, *where], check=True)
    [wheel] = folder.glob("memoryweb_client-*.whl")
    assert "memoryweb_client/py.typed" in zipfile.ZipFile(wheel).namelist()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(wheel))
        yield __import__("memoryweb_client")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are answered in the test's own thread, so that its own rows are there."""

    def post(url: str, *, json: Any, headers: dict[str, str], timeout: float) -> httpx.Response:
        assert timeout == 5.0
        with scope():
            answer = Client().post(
                url.removeprefix("http://here"), json, "application/json", headers=headers
            )
        return httpx.Response(
            answer.status_code, content=answer.content, request=httpx.Request("POST", url)
        )

    monkeypatch.setattr(httpx, "post", post)


@pytest.mark.usefixtures("site")
def test_what_was_said_is_kept_and_what_is_known_comes_back(
    world: World, callers: Callers, client: Any
) -> None:
    agent = str(world.agent.pk)
    memory = client.Memory("http://here/", callers.helpdesk.token, agent, user="ana")
    for _again in range(2):
        memory.retain(SAID, conversation="talk/17", finished=True)
    [message] = Message.objects.filter(raw_content=SAID[0]["content"])
    conversation = message.conversation
    assert (conversation.external_id, conversation.owner.external_id) == ("talk/17", "ana")
    with write_transaction(world.team) as tx:
        place = Place(world.agent, conversation.owner, "MEMORY.md")
        write(tx, place, "- Owns a bakery in Leeds.\n", writer=Writer(AuthorKind.SYSTEM))
    asked = "Where is my bakery?"
    assert "Owns a bakery in Leeds." in memory.recall(asked)
    assert asked not in memory.recall(asked)
    assert memory.recall(asked, user="eve") == ""


@pytest.mark.usefixtures("site")
def test_what_the_server_refuses_is_logged(
    world: World, client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    memory = client.Memory("http://here", "none", str(world.agent.pk))
    assert memory.recall("Where is my bakery?") == ""
    assert "401" in caplog.text


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "nowhere", "http://[", ""])
def test_without_a_server_there_is_no_memory_and_no_error(
    client: Any, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    memory = client.Memory(url, "secret", "a1")
    assert memory.recall("Hello?") == memory.recall(" ") == ""
    assert asyncio.run(memory.arecall("Hello?")) == ""
    memory.retain(SAID)
    asyncio.run(memory.aretain([7, None]))
    assert len(caplog.records) == 4
    assert "secret" not in caplog.text


def test_long_talks_are_sent_in_parts(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(client.Memory, "_post", lambda *call: sent.append(len(call[2]["messages"])))
    client.Memory("http://here", "t", "a1").retain([SAID[0]] * 2500)
    assert sent == [1000, 1000, 500]


def test_no_adapter_is_long() -> None:
    for path in Path(FOLDER, "src", "memoryweb_client").glob("[a-z]*.py"):
        assert len(path.read_text().splitlines()) <= 80, path
