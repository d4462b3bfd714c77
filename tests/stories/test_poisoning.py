"""What outsiders plant by any way, with a model that believes and obeys the newest note: nobody
else is ever given it, nothing of it is confirmed, and it goes with its source, weeks later too."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from memoryweb.accounts.integrations import create_integration, grant
from memoryweb.accounts.models import Integration, Token
from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming.models import Candidate
from memoryweb.memory import reverting as memory_sources
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Conversation, Fact, File, Import, Passage, Proposal, Vote
from memoryweb.memory.models.writer import Place, write_transaction
from memoryweb.memory.writing import write
from tests.api.client import Api
from tests.dreaming.nights import dream
from tests.extraction.talking import extract
from tests.fakes import ModelServer
from tests.snapshots.archives import of
from tests.soaking import first_in_gate
from tests.stories.poison import MARK, POISON
from tests.stories.telling import person, prompt, says
from tests.world import World, integration_token

NIGHTS = 20
GOOD = "The pool opens at seven."
ENDUSER = {"endUserId": "customer-1"}


class Outsider:
    """The helpdesk and its end user on one day, through every way that they have."""

    def __init__(self, world: World, api: Api, trusted: Api, day: date) -> None:
        self.world, self.api, self.trusted, self.day = world, api, trusted, day
        self.base = f"/agents/{world.agent.pk}"
        self.files = f"{self.base}/workspace/files"

    def by_message(self, text: str) -> None:
        """As an end user, with turns of the assistant that repeat it."""
        name = f"chat {self.day} {abs(hash(text))}"
        turns = (("user", text), ("assistant", text), ("user", "Thank you."), ("user", text))
        body = ENDUSER | {"messages": [{"role": role, "content": one} for role, one in turns]}
        assert self.api.post(f"{self.base}/conversations/{name}/messages", body).status_code < 300
        extract(self.world, Conversation.objects.get(external_id=name))

    def by_room(self, text: str) -> None:
        says(self.world, f"room {text}", text, day=self.day, shared=True, group=True)

    def by_shared_note(self, text: str) -> None:
        says(self.world, f"note {text}", text, day=self.day, shared=True)

    def by_remembering(self, text: str) -> None:
        for whose in ({"owner": "shared"}, ENDUSER):
            self._tool("remember", {**whose, "content": text})

    def by_write_memory(self, text: str) -> None:
        for path in ("PROFILE.md", "SOUL.md", "AGENTS.md"):
            sent = {"filename": path, "strategy": "append", "content": text}
            self._tool("write_memory", {"owner": "shared", **sent})

    def by_put(self, text: str) -> None:
        for path in ("MEMORY.md", "AGENTS.md", "SOUL.md"):
            self.api.put(f"{self.files}/{path}?owner=shared", {"content": f"- {text}\n"})
        everyones = f"/agents/{GLOBAL_AGENT_ID}/workspace/files/RULES.md?owner=shared"
        self.api.put(everyones, {"content": f"- {text}\n"})

    def by_edit(self, text: str) -> None:
        sent = {"filename": "MEMORY.md", "oldText": "# Memory", "newText": f"# Memory\n\n- {text}"}
        self._tool("edit_workspace_memory_file", {"owner": "shared", **sent})

    def by_import(self, text: str) -> None:
        archive = of(dict.fromkeys(("MEMORY.md", "PROFILE.md", "SOUL.md"), f"- {text}\n"))
        door = f"{self.base}/workspace/memory/import"
        token = self.api.post(f"{door}/preview?owner=shared", archive).json()["token"]
        self.api.post(f"{door}?owner=shared&token={token}", archive)

    def by_renaming(self, text: str) -> None:
        self.api.put(f"{self.files}/planted.md?owner=shared", {"content": f"- {text}\n"})
        for path in ("MEMORY.md", "AGENTS.md"):
            to = {"filename": path}
            self.api.post(f"{self.files}/planted.md/rename?owner=shared", to)
        self.api.delete(f"{self.files}/planted.md?owner=shared")

    def by_a_trusted_program(self, text: str) -> None:
        """`shared:write` is the program's own; its end users don't have it."""
        sent = {"filename": "MEMORY.md", "content": f"- {text}\n"}
        self._tool("write_workspace_memory_file", {**ENDUSER, **sent}, self.trusted)

    def _tool(self, name: str, sent: dict[str, Any], api: Api | None = None) -> None:
        assert (api or self.api).post(f"{self.base}/tools/{name}", sent).status_code < 500


WAYS: tuple[Callable[[Outsider, str], None], ...] = (
    Outsider.by_message,
    Outsider.by_room,
    Outsider.by_shared_note,
    Outsider.by_remembering,
    Outsider.by_write_memory,
    Outsider.by_put,
    Outsider.by_edit,
    Outsider.by_import,
    Outsider.by_renaming,
    Outsider.by_a_trusted_program,
)


def _lives_those_nights(world: World, turn: int, nights: int, share: int) -> None:
    """All texts in the first half of the days, each by the next way, and a dream of all memories
    each night. `turn` gives each text another way; a `share` of two has half of the texts."""
    Agent.objects.filter(pk=world.agent.pk).update(owner_isolation=False)
    api, trusted = (
        Api(integration_token(world.integration)),
        Api(integration_token(_trusted(world))),
    )
    today = timezone.now().date()
    for night in range(nights):
        day = today + timedelta(days=night)
        outsider = Outsider(world, api, trusted, day)
        for number, text in _planted_on(night, nights // 2, POISON[::share]):
            WAYS[(number + turn) % len(WAYS)](outsider, text)
        says(world, f"good {night}", f"Table {night} is by the window.", day=day)
        for owner in (None, world.customer):
            dream(world, owner, day)


def _trusted(world: World) -> Integration:
    found = create_integration(team=world.team, name="desk", by=SYSTEM, channels=[])
    return grant(integration=found, scope=Scope.SHARED_WRITE, reason="Ours.", by=SYSTEM)


def _planted_on(night: int, nights: int, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Every language and every sort of text comes by every way."""
    for number in range(night, len(texts) if night < nights else 0, nights):
        yield night + number // nights, texts[number]


def _prompt_files(world: World) -> dict[str, str]:
    """All that everybody is given, of this team and of all."""
    files = File.objects.filter(owner=None, deleted_at=None, enabled=True)
    found = files.filter(agent__in=[world.agent.pk, GLOBAL_AGENT_ID])
    return {
        path: text for path, text in found.values_list("path", "raw_content") if "/" not in path
    }


def _reverts_everything(world: World) -> None:
    """A person takes back every conversation, token and import of the outsiders."""
    sources = [
        *((Kind.CONVERSATION, pk) for pk in _planting(world)),
        *(
            (Kind.TOKEN, pk)
            for pk in Token.objects.exclude(integration=None).values_list("pk", flat=True)
        ),
        *((Kind.IMPORT, pk) for pk in Import.objects.values_list("pk", flat=True)),
    ]
    for kind, pk in sources:
        with write_transaction(world.team) as tx:
            source = Source(world.agent, kind, pk)
            memory_sources.revert(tx, source, Q(), Q(), writer=person(world))


def _planting(world: World) -> Iterator[Any]:
    talks = Conversation.objects.filter(agent=world.agent, messages__raw_content__contains=MARK)
    return iter(talks.distinct().values_list("pk", flat=True))


def _left_of_it(world: World) -> dict[str, list[str]]:
    """Where something planted can still be read or is still believed."""
    pending = Proposal.objects.filter(state=Proposal.State.PENDING)
    places: dict[str, Any] = {
        "files": File.objects.filter(deleted_at=None).values_list("path", "raw_content"),
        "statements": Fact.objects.living().values_list("state", "raw_text"),
        "proposals": pending.values_list("raw_content", "broken"),
        "search": Passage.objects.filter(message=None).values_list("raw_text"),
    }
    found = {name: [str(row) for row in rows if MARK in str(row)] for name, rows in places.items()}
    return {name: rows for name, rows in found.items() if rows}


@pytest.mark.parametrize(
    ("turn", "nights", "share"),
    first_in_gate(1, [(0, 4, 2), *((turn, NIGHTS, 1) for turn in range(len(WAYS)))]),
)
def test_what_is_planted_reaches_nobody_else_and_goes_with_its_source(
    world: World, model_server: ModelServer, turn: int, nights: int, share: int
) -> None:
    model_server.obey()
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write.write(tx, place, f"# Memory\n\n- {GOOD}\n", writer=person(world))
    before = _prompt_files(world)
    _lives_those_nights(world, turn, nights, share)

    assert _prompt_files(world) == before
    shared = Fact.objects.filter(owner=None, raw_text__contains=MARK)
    assert not shared.filter(state__in=(Fact.State.ACTIVE, Fact.State.DISPUTED)).exists()
    for reader in (world.bobs_memory, world.sender):
        assert MARK not in prompt(world, "Good morning", owner=reader)
    assert not Fact.objects.filter(raw_text__contains=MARK, confirmed_at__isnull=False).exists()
    assert not Vote.objects.exists()

    assert _left_of_it(world)
    _reverts_everything(world)
    assert _left_of_it(world) == {}
    assert _prompt_files(world) == before
    assert MARK not in prompt(world, "Good morning")
    assert "Table 3 is by the window." in _texts(world)
    for owner in (None, world.customer):
        run = dream(world, owner, timezone.now().date() + timedelta(days=nights))
        assert not Candidate.objects.filter(report__run=run, text__contains=MARK).exists()
    assert _left_of_it(world) == {}


def _texts(world: World) -> str:
    return "\n".join(
        File.objects.filter(owner=world.customer).values_list("raw_content", flat=True)
    )
