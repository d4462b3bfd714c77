"""Somebody tells their weight, asks to forget it, changes their mind, and asks again for good."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.audit.verify import verify
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, ForgetRequest, Receipt
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.clock import Clock
from tests.web.pages import text, url
from tests.world import World, personal_token, signed_in

SAID = "I weigh 62 kilos."
ECHO = "At 62 kilos you need about 50 grams of protein."


class Bob:
    """By API and browser."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.api = Api(personal_token(world.team, world.bob))
        self.browser: Client = signed_in(world.bob)

    def says(self, talk: str, *said: str) -> None:
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": one} for n, one in enumerate(said)]
        self._post(
            f"/agents/{self.world.agent.pk}/conversations/{talk}/messages", messages=messages
        )

    def prompt(self, message: str, talk: str) -> str:
        given = self._post(
            f"/agents/{self.world.agent.pk}/context", message=message, conversationId=talk
        )
        return json.dumps([given["system"], given["messages"][:-1]], ensure_ascii=False)

    def page(self) -> str:
        return text(self.browser.get(url(self.world.team, "mine")))

    def undoes(self, request: ForgetRequest) -> None:
        where = url(self.world.team, "mine_bring_back")
        assert self.browser.post(where, {"request": str(request.pk)}).status_code == 302

    def _post(self, path: str, **body: Any) -> Any:
        answer = self.api.post(path, body)
        assert answer.status_code < 300, answer.content
        return answer.json()


def test_forget_my_weight(world: World, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    bob = Bob(world)
    bob.says("monday", f"{SAID} How much should I eat?", ECHO)
    _night(world)
    assert "62 kilos" in bob.prompt("How heavy am I?", "monday")

    bob.says("tuesday", "Please forget my weight.", "Done: I forgot that you weigh 62 kilos.")
    for talk in ("monday", "tuesday", "new"):
        assert "62 kilos" not in bob.prompt("How heavy am I?", talk)
    assert SAID in bob.page()
    request = ForgetRequest.objects.get()
    assert request.erase_at is not None

    bob.undoes(request)
    assert "62 kilos" in bob.prompt("How heavy am I?", "monday")

    bob.says("wednesday", "Forget my weight!")
    clock = Clock(timezone.now(), monkeypatch)
    assert "erasure" not in {run.kind for run in _later(clock, hours=23)}
    assert _holding("62 kilos")
    assert ("erasure", "") in {(run.kind, run.error) for run in _later(clock, hours=2)}
    assert _holding("62 kilos") == set()
    assert _holding("At 62") == set()
    assert "like tea" in bob.prompt("Tea?", "monday")
    assert Receipt.objects.get().remaining == 0
    assert "What you asked to forget" not in bob.page()
    assert verify(world.team.pk).ok


def _later(clock: Clock, *, hours: int) -> list[Run]:
    clock.put(clock.now + timedelta(hours=hours))
    engine.tick(clock.now)
    return list(engine.run_pending())


def _night(world: World) -> None:
    """What extraction and a dream make of it."""
    message = world.agent.conversations.get().messages.earliest("position")
    origin = Origin((Source(message_id=message.pk),))
    with write_transaction(world.team) as tx:
        append(
            tx,
            Place(world.agent, world.bobs_memory, f"memory/{timezone.now():%Y-%m-%d}.md"),
            [NewLine(f"- 08:00 {SAID}", origin)],
            writer=Writer(AuthorKind.EXTRACTION),
        )
        write(
            tx,
            Place(world.agent, world.bobs_memory, "MEMORY.md"),
            f"# Memory\n\n- {SAID}\n- I like tea.\n",
            writer=Writer(AuthorKind.DREAM),
            origins={3: origin},
        )


def _holding(words: str) -> set[str]:
    with scopes_disabled():
        return {
            model._meta.label
            for model in apps.get_models()
            for row in model._base_manager.values_list()
            if words.casefold() in json.dumps(row, default=str, ensure_ascii=False).casefold()
        }
