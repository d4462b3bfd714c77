"""Two people, an agent and a dream write one file at once: no text is lost, all are told."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Queue

import pytest
from django.db import connection
from django_scopes import scopes_disabled
from playwright.sync_api import Page, expect

from memoryweb.accounts.integrations import grant
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, File, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.browser.conftest import Open, expect_saved
from tests.dreaming.nights import add, answer
from tests.fakes import Behaviour, ModelServer, Received
from tests.waiting import SECONDS
from tests.web.pages import url
from tests.web.stage import NOTE
from tests.web.stage import dream as run_dream
from tests.world import World, integration_token

BEFORE = "# Memory\n\n- Tea is served at five.\n"
DREAMT = "Marta keeps the spare keys in the blue drawer."


@dataclass
class Model:
    """Thinks until it is told to answer, so that others can write meanwhile."""

    asked: "Queue[Received]" = field(default_factory=Queue)
    go: "Queue[None]" = field(default_factory=Queue)

    def __call__(self, asked: Received) -> Behaviour:
        self.asked.put(asked)
        self.go.get(timeout=SECONDS)
        return Behaviour(json.dumps(answer(add(DREAMT, asked.data["notes"][0]["id"]))))


@pytest.fixture
def model(model_server: ModelServer) -> Model:
    thinking = Model()
    model_server.default = thinking
    return thinking


@pytest.fixture
def noted(world: World) -> World:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        write(tx, place, BEFORE, writer=Writer(AuthorKind.EXTRACTION, is_vouched=True))
        line = NewLine(f"- 09:00 {DREAMT}", Origin(durable=True, asked=True, category="work"))
        append(
            tx,
            Place(world.agent, None, NOTE),
            [line],
            writer=Writer(AuthorKind.AGENT),
        )
    return world


def test_all_four_at_once_lose_no_text_and_each_sees_what_happened(
    open_page: Open, noted: World, model: Model
) -> None:
    alice, bob = _editor(open_page, noted, noted.alice), _editor(open_page, noted, noted.bob)
    grant(
        integration=noted.integration,
        scope=Scope.SHARED_WRITE,
        reason="Counts the boats.",
        by=SYSTEM,
    )
    noted.integration.refresh_from_db()
    agent = Api(integration_token(noted.integration))
    opened = agent.get(_api(noted)).json()["sha256"]
    with _dreaming(noted) as night:
        assert "Alice" not in str(model.asked.get(timeout=SECONDS).data["memory"])

        _type(alice, "- Alice knows the way.\n")
        expect_saved(alice)

        late = agent.put(_api(noted), {"content": f"{BEFORE}- Agent.\n"}, if_match=f'"{opened}"')
        now = late.json()["current"]
        assert late.status_code == 412
        assert "Alice knows the way." in now["content"]
        both = {"content": f"{now['content']}- The agent counts boats.\n"}
        again = agent.put(_api(noted), both, if_match=f'"{now["sha256"]}"')
        assert again.status_code == 200, again.content

        model.go.put(None)
        planned_again = str(model.asked.get(timeout=SECONDS).data["memory"])
        assert "Alice knows the way." in planned_again
        assert "The agent counts boats." in planned_again
        model.go.put(None)
    assert night().status == "succeeded"

    _type(bob, "- Bob knows another way.\n")
    expect_saved(bob)
    for said in ("Alice knows the way.", "The agent counts boats.", DREAMT, "Bob knows another"):
        expect(bob.get_by_label("Text", exact=True)).to_have_value(re.compile(re.escape(said)))

    file = File.objects.get(agent=noted.agent, owner=None, path="MEMORY.md")
    for said in ("Tea", "Alice knows", "agent counts", DREAMT, "Bob knows another way."):
        assert file.raw_content.count(said) == 1
    authors = file.revisions.order_by("number").values_list("author_kind", flat=True)
    assert list(authors)[-4:] == ["person", "agent", "dream", "person"]


def test_a_dream_that_people_overtake_twice_asks_them(
    open_page: Open, noted: World, model: Model
) -> None:
    alice, bob = _editor(open_page, noted, noted.alice), _editor(open_page, noted, noted.bob)
    with _dreaming(noted) as night:
        model.asked.get(timeout=SECONDS)
        _type(alice, "- Alice knows the way.\n")
        expect_saved(alice)
        model.go.put(None)
        model.asked.get(timeout=SECONDS)
        _type(bob, "- Bob knows another way.\n")
        expect_saved(bob)  # beside what Alice put in: merged without being asked
        model.go.put(None)
    assert (night().status, night().reason) == ("needs_review", "current")
    proposal = Proposal.objects.get(run=night())
    page = open_page(url(noted.team, "review_item", "proposal", proposal.pk), noted.alice)
    expect(page.locator("main")).to_contain_text("The notes changed twice")
    expect(page.locator("main")).to_contain_text(DREAMT)
    file = File.objects.get(agent=noted.agent, owner=None, path="MEMORY.md")
    for said in ("Tea", "Alice knows the way.", "Bob knows another way."):
        assert file.raw_content.count(said) == 1


@contextmanager
def _dreaming(world: World) -> Iterator[Callable[[], Run]]:
    """A dream in a thread of its own; what is yielded tells how it went."""
    with ThreadPoolExecutor(1) as pool:
        night: Future[Run] = pool.submit(_dream, world)
        yield night.result


def _dream(world: World) -> Run:
    try:
        with scopes_disabled():
            return run_dream(world.home, None)
    finally:
        connection.close()


def _editor(open_page: Open, world: World, user: object) -> Page:
    return open_page(url(world.team, "agents_edit", world.agent.pk, "MEMORY.md"), user)


def _api(world: World) -> str:
    return f"/agents/{world.agent.pk}/workspace/files/MEMORY.md?owner=shared"


def _type(page: Page, line: str) -> None:
    page.get_by_label("Text", exact=True).focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(line)
    page.keyboard.press("Control+s")
    page.wait_for_load_state("domcontentloaded")
