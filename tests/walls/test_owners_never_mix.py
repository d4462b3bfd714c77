"""Every owner's memory holds a bird. None is ever seen where it may not be."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, quote, urljoin

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Agent, BreakGlass
from memoryweb.audit.models import Event
from memoryweb.audit.verify import verify
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import File, Proposal
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.fakes import ModelServer
from tests.mcp.client import Mcp
from tests.snapshot import restored
from tests.soaking import first_in_gate
from tests.walls.canaries import (
    BIRDS,
    SHARED,
    addresses,
    let_live,
    ours,
    owner_id_of,
    owners_of,
    seen_in,
    texts_of,
)
from tests.walls.models import TENANT
from tests.world import World, integration_token, personal_token, signed_in

LINK = re.compile(r'(?:href|action|hx-get)="([^"#]+)')
SEEDS = re.compile(r"/(AGENTS|SOUL|PROFILE)\.md(/|$)")
MAY_SEE = {
    "admin": {SHARED},
    "member": {SHARED, "goldcrest"},
    "viewer": {SHARED},
    "auditor": {SHARED},
    "stranger": set(),
}
REASON = "A complaint about a wrong note."
# Who has a memory here, and who has nothing. The others see the shared memory alone, as the guesses
# of each role and the walk of an admin who has opened another's memory show.
first_roles = pytest.mark.parametrize(
    "role", first_in_gate(2, ["member", "stranger", "admin", "viewer", "auditor"])
)
# In the gate each file is read by one of three ways: its address, a tool, MCP.
by_turns = pytest.mark.parametrize("share", first_in_gate(1, [3, 1]))


@pytest.fixture
def living(world: World, model_server: ModelServer) -> list[str]:
    """What the model was asked meanwhile."""

    def live() -> list[str]:
        let_live(world, model_server)
        return [request.user + request.system for request in model_server.requests]

    return restored("birds", live)


def test_the_birds_live_in_every_kind_of_row(world: World, living: list[str]) -> None:
    """So that looking for them elsewhere proves something."""
    for bird, owner in owners_of(world).items():
        kinds = {
            "files": File.objects.filter(owner=owner),
            "reports": Report.objects.filter(owner=owner),
            "candidates": Candidate.objects.filter(report__owner=owner),
            "proposals": Proposal.objects.filter(file__owner=owner),
            "runs": Run.objects.filter(owner=owner),
        }
        if owner is not None:
            kinds["extractions"] = Extraction.objects.filter(conversation__owner=owner)
        for kind, rows in kinds.items():
            assert any(bird in texts_of(row).casefold() for row in rows), (bird, kind)


def test_a_row_holds_the_bird_of_its_owner_alone(world: World, living: list[str]) -> None:
    ids = {bird: owner.pk if owner else None for bird, owner in owners_of(world).items()}
    for model in TENANT:
        for row in model._base_manager.all():
            for bird in seen_in(texts_of(row)):
                assert owner_id_of(row) == ids[bird], (model, bird)


def test_one_question_holds_the_text_of_one_owner(living: list[str]) -> None:
    asked = {frozenset(seen_in(question)) for question in living}
    assert asked == {frozenset({bird}) for bird in BIRDS}


def test_no_event_holds_a_bird(world: World, living: list[str]) -> None:
    for event in Event.objects.all():
        assert not seen_in(bytes(event.canonical).decode() + event.details)


@pytest.mark.parametrize(
    ("role", "by_agent"),
    first_in_gate(2, [("member", False), ("stranger", True), *((role, True) for role in MAY_SEE)]),
)
def test_nobody_walks_to_the_bird_of_another(
    world: World, living: list[str], role: str, by_agent: bool
) -> None:
    birds = MAY_SEE[role]
    seen = dict(walk(signed_in(world.people[role]), tonight(world), by_agent=by_agent))
    assert {url: found for url, found in seen.items() if found - birds} == {}
    assert set().union(*seen.values()) == birds
    assert len(seen) > (50 if birds else 0)


# Of those who see the shared memory alone, one in the gate.
@pytest.mark.parametrize(
    ("role", "share"),
    first_in_gate(
        3,
        [
            *((role, 2) for role in ("member", "stranger", "admin")),
            *((role, 1) for role in MAY_SEE),
        ],
    ),
)
def test_nobody_guesses_the_way_to_the_bird_of_another(
    world: World, living: list[str], role: str, share: int
) -> None:
    birds, client = MAY_SEE[role], signed_in(world.people[role])
    seen = {url: look(client, url) for url in addresses(world, share)}
    assert {url: found for url, found in seen.items() if found - birds} == {}
    assert set().union(*seen.values()) == birds


@pytest.mark.parametrize(
    ("by", "share"), first_in_gate(1, [("addresses", 2), ("addresses", 1), ("links", 1)])
)
def test_every_page_of_an_opened_memory_is_recorded_and_told_to_whose_it_is(
    world: World, living: list[str], by: str, share: int
) -> None:
    client = signed_in(world.alice)
    _open(client, world)
    seen, before = set[str](), _reads(world)
    guessed = ((url, look(client, url)) for url in addresses(world, share))
    for url, birds in walk(client, tonight(world)) if by == "links" else guessed:
        after = _reads(world)
        assert birds <= {SHARED, "goldcrest"}, url
        assert after > before or "goldcrest" not in birds, url
        seen, before = seen | birds, after
    assert seen == {SHARED, "goldcrest"}
    assert verify(world.team.pk).ok

    page = signed_in(world.bob).get(reverse("web:mine", args=[world.team.slug]))
    said = page.content.decode()
    assert "Alice" in said
    assert REASON in said
    assert f"{before} pages read" in said


@pytest.mark.parametrize("share", first_in_gate(1, [4, 1]))
def test_a_grant_opens_nothing_for_a_colleague_and_nothing_after_its_hour(
    world: World, living: list[str], share: int
) -> None:
    alice, audrey = signed_in(world.alice), signed_in(world.audrey)
    _open(alice, world)
    urls = _of_bob(world, share)
    assert "goldcrest" in set().union(*(look(alice, url) for url in urls))
    assert BreakGlass.objects.get().expires_at <= timezone.now() + timedelta(minutes=60)
    assert "goldcrest" not in set().union(*(look(audrey, url) for url in urls))
    BreakGlass.objects.update(expires_at=timezone.now())
    assert "goldcrest" not in set().union(*(look(alice, url) for url in urls))


@first_roles
@by_turns
def test_no_personal_token_reads_the_bird_of_another(
    world: World, living: list[str], role: str, share: int
) -> None:
    birds = MAY_SEE[role]
    other = world.bobs_memory if role in {"admin", "auditor"} else world.customer
    team = world.twin.team if role == "stranger" else world.team
    api = Api(personal_token(team, world.people[role]))
    seen = read_all(api, world, ["", str(other.pk)], share)
    assert {url: found for url, found in seen.items() if found - birds} == {}
    assert set().union(*seen.values()) == birds


@by_turns
def test_a_program_reads_the_bird_that_it_names(
    world: World, living: list[str], share: int
) -> None:
    api = Api(integration_token(world.integration))
    named = {
        "api:helpdesk/customer-1": {"cormorant", SHARED},
        "slack:U1": {"albatross", SHARED},
        "api:helpdesk/nobody-yet": {SHARED},
        "shared": {SHARED},
    }
    for turn, (owner, birds) in enumerate(named.items()):
        seen = read_all(api, world, [owner], share, turn)
        assert {url: found for url, found in seen.items() if found - birds} == {}, owner
        assert set().union(*seen.values()) == birds, owner


@by_turns
def test_a_program_cannot_name_a_person(world: World, living: list[str], share: int) -> None:
    api = Api(integration_token(world.integration))
    seen = read_all(api, world, [f"user:{world.bob.pk}", str(world.bobs_memory.pk), "me"], share)
    assert {url: found for url, found in seen.items() if found} == {}


def _of_bob(world: World, share: int) -> list[str]:
    return [url for url in addresses(world, share) if str(world.bobs_memory.pk) in url]


def tonight(world: World) -> str:
    return reverse("web:last_night", args=[world.team.slug])


def walk(client: Client, start: str, *, by_agent: bool = True) -> Iterator[tuple[str, set[str]]]:
    """The pages that links lead to from `start` within its team, and the birds on them.

    Of pages that differ in a line, a revision, a number, a date or a filter alone, one; no seed
    files. Of files, runs and of what is asked about statements one of every kind for each agent and
    owner: who may look is decided by those, and `addresses` guesses the way to every file and run.
    In the gate one for each owner: whoever sees an agent sees the next one.
    """
    waiting, met, kinds = deque([start]), {start}, set[str]()
    while waiting:
        url = waiting.popleft()
        with scope():
            answer = client.get(url)
        text = unescape(answer.content.decode(errors="replace"))  # an export is no text
        yield url, seen_in(text)
        links = [answer.headers["Location"]] if "Location" in answer.headers else []
        for link in dict.fromkeys([*links, *LINK.findall(text)]):
            there = urljoin(url, link)
            is_new = there.startswith(start) and there not in met and not SEEDS.search(there)
            if is_new and (kind := _kind(there, by_agent)) not in kinds:
                kinds.add(kind)
                met.add(there)
                waiting.append(there)


def _kind(url: str, by_agent: bool) -> str:
    path, _mark, query = url.partition("?")
    path = path if by_agent else re.sub(r"(?<=/agents/)[0-9a-f-]{36}", "N", path)
    path = re.sub(r"(?<=/)\d+(?=/|$)|\d{4}-\d\d-\d\d", "N", path)
    path = re.sub(r"(?<=/files/).+?\.md(?=/)", "F.md", path)
    path = re.sub(r"(?<=/runs/)[0-9a-f-]{36}|(?<=/facts/)[0-9a-f-]{36}(?=/.)", "N", path)
    filters = sorted(f"owner={value}" if key == "owner" else key for key, value in parse_qsl(query))
    return f"{path}?{'&'.join(filters)}"


def look(client: Client, url: str) -> set[str]:
    with scope():
        return seen_in(client.get(url, follow=True).content.decode(errors="replace"))


def read_all(
    api: Api, world: World, owners: list[str], share: int, turn: int = 0
) -> dict[str, set[str]]:
    """Every read of the API, about each of these owners, and the birds in its answer. With a
    `share` of three each file is read by one of three ways: by another at the next owner's turn.
    """
    seen, paths = {}, _paths(world.agent)
    for number, owner in enumerate(owners, turn):
        to_get, to_tools, to_mcp = (paths[(number + way) % share :: share] for way in range(3))
        query = f"?owner={quote(owner)}" if owner else ""
        for path in _reading(world.agent, to_get):
            url = path if "?" in path else path + query
            seen[url] = seen_in(api.get(url).content.decode())
        search = f"/agents/{world.agent.pk}/workspace/search{query or '?'}&limit=50&q=memory"
        seen[search] = seen_in(api.get(search).content.decode())
        for path, body in _tools(world.agent, to_tools):
            asked = {**body, **_about(owner)}
            seen[f"{path} {asked}"] = seen_in(_told(api, path, asked))
        seen |= dict(_over_mcp(api, world.agent, owner, to_mcp))
    return seen


def _over_mcp(
    api: Api, agent: Agent, owner: str, paths: list[str]
) -> Iterator[tuple[str, set[str]]]:
    host = Mcp(api.token).as_host(agent=str(agent.pk), **({"owner": owner} if owner else {}))
    question = "The lamp belongs to"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": question}),
        ("memory_search", {"query": question, "maxResults": 50}),
        *(("memory", {"command": "view", "path": f"/memories/{path}"}) for path in paths),
    ]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("resources/list", {}),
        ("resources/read", {"uri": "memory://root"}),
        ("prompts/get", {"name": "before_you_answer", "arguments": {"message": question}}),
        *(("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls),
    ]
    for method, params in asked:
        said = host.earlier(method, params).content.decode()
        for path in paths:  # in what was asked for
            said = said.replace(path, "") if path in str(params) else said
        yield f"{owner} {method} {params}", seen_in(said)


def _reading(agent: Agent, paths: list[str]) -> list[str]:
    at, memory = f"/agents/{agent.pk}", f"/memory/{agent.pk}"
    runs = [str(run.pk) for run in agent.runs.all()]
    return [
        *("/agents", "/owners", "/audit/events?limit=100"),
        *(at, f"{at}/workspace/files", f"{at}/workspace/prompt-files"),
        *(f"{at}/workspace/files/{path}" for path in paths),
        *(f"{at}/workspace/files/{path}/revisions" for path in paths),
        *(f"{at}/workspace/files/{path}/revisions/1" for path in paths),
        *(f"{at}/conversations", f"{at}/proposals", f"{memory}/dream/reports"),
        *(f"{at}/conversations/{one.external_id}" for one in agent.conversations.all()),
        *(f"{memory}/dreaming/{what}" for what in ("status", "candidates", "dreams")),
        *(f"{memory}/dream/reports/{run}" for run in runs),
        *(f"/runs/{run}" for run in runs),
    ]


def _tools(agent: Agent, paths: list[str]) -> list[tuple[str, Mapping[str, object]]]:
    queries = ("The lamp belongs to", "moved yesterday sister", "memory")
    calls: list[tuple[str, Mapping[str, object]]] = [
        ("memory_get", {"date": "2026-11-20"}),
        ("list_workspace_memory_files", {}),
        *(("memory_search", {"query": query, "limit": 50}) for query in queries),
        *(("search_workspace_memory", {"query": query, "limit": 50}) for query in queries),
        *(("read_workspace_memory_file", {"filename": path}) for path in paths),
    ]
    asked = [(f"/agents/{agent.pk}/context", {"message": query}) for query in queries]
    return [*((f"/agents/{agent.pk}/tools/{name}", body) for name, body in calls), *asked]


def _paths(agent: Agent) -> list[str]:
    return sorted(set(agent.files.filter(ours(agent)).values_list("path", flat=True)))


def _told(api: Api, path: str, body: dict[str, object]) -> str:
    """What the answer adds: a caller knows the words and names that it sent."""
    said = api.post(path, body).content.decode()
    for sent in body.values():
        said = said.replace(str(sent), "")
    return said


def _about(owner: str) -> dict[str, object]:
    if owner.startswith("api:helpdesk/"):
        return {"endUserId": owner.removeprefix("api:helpdesk/")}
    if owner.startswith("slack:"):
        return {"channel": "slack", "senderId": owner.removeprefix("slack:")}
    return {"owner": owner} if owner else {}


def _open(client: Client, world: World) -> None:
    url = reverse("web:owners_open", args=[world.team.slug, world.bobs_memory.pk])
    assert client.post(url, {"reason": REASON}).status_code == 302


def _reads(world: World) -> int:
    return Event.objects.filter(
        action="personal.read", on_behalf_of=world.bobs_memory.pk, reason_code="break_glass"
    ).count()
