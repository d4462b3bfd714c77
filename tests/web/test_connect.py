import ast
import json
import re
import shlex
import subprocess
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import quote_plus

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import person_owner, set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import ForgetRequest, Message
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.web.connect import QUESTION, snippets
from memoryweb.web.first_answer import TRIAL_LASTS, question
from tests.api.client import Api
from tests.mcp.client import Mcp
from tests.statements import counted
from tests.web.pages import fragment, text, tight, url
from tests.web.stage import Stage
from tests.world import World, integration_token, personal_token, signed_in

BASE = "http://testserver/api/v1/agents/1"


def address(world: World, agent: Agent, query: str = "") -> str:
    return url(world.team, "agents_connect", agent.pk, query=query)


def bodies(curl: str) -> list[tuple[str, Any]]:
    """What the two calls of a terminal send, and where."""
    calls = curl.replace("\\\n", " ").split("curl -sS -w '\\n' ")[1:]
    words = [shlex.split(call) for call in calls]
    return [(found[0], json.loads(found[found.index("-d") + 1])) for found in words]


def skill_calls(skill: str, said: str) -> list[tuple[str, Any]]:
    """What its calls send, and where, when a shell runs them with that text in the gaps."""
    filled = re.sub(
        "WORDS TO FIND|ONE SENTENCE|WHAT [A-Z ]+", lambda _: json.dumps(said)[1:-1], skill
    )
    blocks = re.findall(r"```bash\n(.*?)```", filled.replace("CONVERSATION", "talk-1"), re.DOTALL)
    told = 'curl() { printf "%s\\n" "$2"; cat; }\n'
    sent = [
        subprocess.run(["bash", "-c", told + block], capture_output=True, text=True, check=True)
        for block in blocks
    ]
    return [
        (one.stdout.partition("\n")[0], json.loads(one.stdout.partition("\n")[2])) for one in sent
    ]


def test_a_skill_s_calls_survive_apostrophes_and_send_the_conversation(world: World) -> None:
    api = Api(personal_token(world.team, world.bob))
    base = f"http://testserver/api/v1/agents/{world.agent.pk}"
    [skill] = [one.text for one in snippets(base, {}, "talk-1") if one.key == "openclaw"]
    said = """I'm Inês: "don't" forget `my` $HOME \\ address.\nIt's in Porto."""
    answers = [
        api.post(where.removeprefix("http://testserver/api/v1"), body)
        for where, body in skill_calls(skill, said)
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    kept = list(Message.objects.order_by("position").values_list("role", "raw_content"))
    assert kept == [("user", said), ("assistant", said)]


@pytest.mark.parametrize("owner", [{}, {"endUserId": "customer-42"}])
def test_every_snippet_is_whole(owner: dict[str, str]) -> None:
    made = {one.key: one.text for one in snippets(BASE, owner, "talk-1")}
    curl, python, openclaw = made["curl"], made["python"], made["openclaw"]
    assert BASE in made["javascript"]
    assert json.loads(made["openclaw_config"])
    assert ("mem0" in made) == bool(owner)
    ast.parse(made.get("mem0", ""))
    [server] = json.loads(made["mcp"])["mcpServers"].values()
    assert server["url"] == BASE.partition("/api/")[0] + "/mcp"
    assert server["headers"].get("Memoryweb-Owner") == ("api:customer-42" if owner else None)
    for where, body in bodies(curl):
        assert where.startswith(BASE)
        assert body.items() >= owner.items()
    ast.parse(python)
    metadata = re.search(r"^metadata: (.+)$", openclaw, re.MULTILINE)
    assert metadata is not None
    assert json.loads(metadata[1])["openclaw"]["primaryEnv"] == "MEMORYWEB_TOKEN"
    for where, body in skill_calls(openclaw, "anything"):
        assert where.startswith(BASE)
        assert body.items() >= owner.items()


def test_an_mcp_client_is_connected_by_what_is_pasted(world: World) -> None:
    """A person's client needs no owner; a program's names whom it talks for."""
    for token, owner in (
        (personal_token(world.team, world.bob), {}),
        (integration_token(world.integration), {"endUserId": "customer-42"}),
    ):
        base = f"http://testserver/api/v1/agents/{world.agent.pk}"
        made = {one.key: one.text for one in snippets(base, owner, "talk-1", token)}
        headers = json.loads(made["mcp"])["mcpServers"]["memoryweb"]["headers"]
        assert headers.pop("Authorization") == f"Bearer {token}"
        assert not Mcp(token, headers).call("remember", content="Likes tea.")["isError"]


def test_what_is_pasted_twice_or_by_two_works(world: World) -> None:
    """A talk has one owner, and a message with an id is kept once."""
    for client, token, as_ in (
        (signed_in(world.alice), integration_token(world.integration), "?as=program"),
        (signed_in(world.bob), personal_token(world.team, world.bob), ""),
    ):
        page = text(client.get(address(world, world.agent, as_)))
        curl = re.search(r'<pre id="code-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)
        assert curl is not None
        (where, body), _asked = bodies(unescape(curl[1]))
        answers = [
            Api(token).post(where.removeprefix("http://testserver/api/v1"), body).json()
            for _turn in range(2)
        ]
        assert [answer["added"] for answer in answers] == [4, 0]


def test_what_the_page_says_ticks_its_own_list(world: World) -> None:
    """The calls as they stand on the page, by an integration and by a person."""
    for as_, token, client in (
        ("program", integration_token(world.integration), signed_in(world.alice)),
        ("me", personal_token(world.team, world.bob), signed_in(world.bob)),
    ):
        agent = world.agent if as_ == "me" else world.other_agent
        page = text(client.get(address(world, agent, f"?as={as_}")))
        assert page.count("not yet") == 3
        curl = re.search(r'<pre id="code-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)
        assert curl is not None
        for where, body in bodies(unescape(curl[1])):
            answer = Api(token).post(where.removeprefix("http://testserver/api/v1"), body)
            assert answer.status_code == 200
        for run in Run.objects.filter(agent=agent, kind="extraction"):
            engine.work(run.pk)
        ticked = text(fragment(client, address(world, agent), "checklist"))
        assert ticked.count('class="yes"') == 3
        assert "data-poll" not in ticked


def test_it_polls_until_all_is_done(stage: Stage, alice: Client) -> None:
    page = text(alice.get(address(stage.world, stage.world.agent)))
    assert "data-poll" in page
    assert page.count('class="yes"') == 1 + Run.objects.filter(kind="extraction").exists()


def test_what_happened_before_one_began_to_watch_is_no_tick(stage: Stage, alice: Client) -> None:
    later = (timezone.now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    page = text(alice.get(address(stage.world, stage.world.agent, f"?since={later}")))
    assert page.count("not yet") == 3


@pytest.mark.parametrize("since", ["yesterday", "2026-02-30T00:00:00Z", "2026-01-01", ""])
def test_a_time_that_is_none_is_ever(stage: Stage, alice: Client, since: str) -> None:
    page = text(alice.get(address(stage.world, stage.world.agent, f"?since={since}")))
    assert page.count("not yet") < 3


def test_others_talks_are_no_tick_for_who_does_not_see_owners(world: World) -> None:
    talks = f"/agents/{world.agent.pk}/conversations/c-9/messages"
    said = [{"role": "user", "content": "The green kayak is mine."}]
    helpdesk = Api(integration_token(world.integration))
    helpdesk.post(talks, {"endUserId": "customer-1", "messages": said})
    seen = text(signed_in(world.vera).get(address(world, world.agent)))
    assert (seen.count("not yet"), "kayak" in seen) == (3, False)
    admins = text(signed_in(world.alice).get(address(world, world.agent)))
    assert (admins.count("not yet"), "kayak" in admins) == (2, False)


def test_why_nothing_is_extracted_is_said(world: World) -> None:
    talks = f"/agents/{world.agent.pk}/conversations/c-9/messages"
    said = [{"role": "user", "content": "The green kayak is mine."}]
    world.agent.auto_summarize = False
    world.agent.save()
    token = personal_token(world.team, world.bob)
    Api(token).post(talks, {"messages": said, "finished": True})
    page = text(signed_in(world.bob).get(address(world, world.agent)))
    assert "turned off for this agent" in page


@pytest.mark.parametrize("as_", ["me", "program"])
def test_a_token_made_here_works_at_once_and_is_shown_once(world: World, as_: str) -> None:
    alice = signed_in(world.alice)
    where = url(world.team, "agents_connect_token", world.agent.pk)
    page = text(alice.post(where, {"as": as_}))
    [secret] = set(re.findall(r"mwp_\w+", page))
    assert f"export MEMORYWEB_TOKEN={secret}" in page
    curl = re.search(r'<pre id="code-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert curl is not None
    for call, body in bodies(unescape(curl[1])):
        answer = Api(secret).post(call.removeprefix("http://testserver/api/v1"), body)
        assert answer.status_code == 200
    assert secret not in text(alice.get(address(world, world.agent, f"?as={as_}")))
    assert alice.get(where).status_code == 405


def test_only_who_manages_tokens_makes_one_for_users(world: World) -> None:
    where = url(world.team, "agents_connect_token", world.agent.pk)
    assert signed_in(world.bob).post(where, {"as": "program"}).status_code == 403
    assert signed_in(world.charlie).post(where).status_code == 404


def answered(page: str) -> str:
    found = re.search(r'<p class="big-say">(.*?)</p>', page, re.DOTALL)
    return found[1] if found else ""


def test_it_shows_what_was_made_of_a_talk_and_answers_from_it(world: World) -> None:
    bob = signed_in(world.bob)
    talks = f"/agents/{world.agent.pk}/conversations/c-9/messages"
    said = [
        {"role": role, "content": words}
        for role, words in (
            ("user", "I moved to Porto in May, and I prefer tea to coffee."),
            ("assistant", "Good to know."),
            ("user", "My sister Clara visits me next Friday."),
            ("assistant", "I will remember that."),
        )
    ]
    asked = address(world, world.agent, f"?ask={quote_plus(QUESTION)}")
    assert answered(text(bob.get(asked))) == ""
    token = personal_token(world.team, world.bob)
    Api(token).post(talks, {"messages": said, "finished": True})
    list(engine.run_pending(until_idle=True))
    page = text(bob.get(asked))
    assert answered(page) == "I prefer tea to coffee"
    assert "<mark>I prefer tea to coffee</mark>" in page
    assert "My sister Clara visits me" in page.partition('class="noted"')[2]
    others = text(signed_in(world.alice).get(address(world, world.agent, "?ask=Porto")))
    assert "Porto in May" not in others.partition("because you said")[2]


def test_of_users_it_leads_to_the_person_that_was_named(world: World) -> None:
    alice = signed_in(world.alice)
    where = address(world, world.agent, "?as=program")
    people = url(world.team, "owners")
    assert f'href="{people}">See whom it knows' in tight(alice.get(where))
    talks = f"/agents/{world.agent.pk}/conversations/c-9/messages"
    message = {"role": "user", "content": "I prefer tea to coffee."}
    Api(integration_token(world.integration)).post(
        talks, {"messages": [message], "endUserId": "customer-42"}
    )
    owner = Owner.objects.get(external_id="customer-42")
    assert f'href="{url(world.team, "owners_detail", owner.pk)}">See' in tight(alice.get(where))


def test_no_token_stands_on_the_page(world: World) -> None:
    integration_token(world.integration)
    page = text(signed_in(world.alice).get(address(world, world.agent)))
    assert not re.search(r"mwp_\w", page)


def said(client: Client, world: World, **more: str) -> str:
    where = url(world.team, "agents_connect_say", world.agent.pk)
    answer = client.post(where, {"said": "I live in Porto and I prefer tea."} | more)
    list(engine.run_pending(until_idle=True))
    return answer["Location"]


def test_what_is_said_here_is_known_at_once(world: World) -> None:
    """The question is made of what was noted, in any language that has names or signs."""
    bob = signed_in(world.bob)
    where = said(bob, world)
    page = text(bob.get(where))
    assert counted(lambda: bob.get(where)) <= 15
    assert answered(page) == "I live in Porto"
    assert "knows what you said" in page
    assert "What do you know about tea?" in page
    assert "data-poll" not in page
    assert question("Ich trinke lieber Tee als Kaffee.").endswith("about Tee?")
    assert question("コーヒーより紅茶が好きです。").endswith("about コーヒー?")
    assert question("…") == ""


def test_a_test_customer_is_linked_and_erased_after_the_hour(world: World) -> None:
    alice = signed_in(world.alice)
    where = said(alice, world, **{"as": "program"})
    owner = Owner.objects.get(external_id__startswith="test-")
    assert (owner.person, owner.source) == (world.alice, f"api:{owner.integration_id}")
    assert "knows what your test customer said" in text(alice.get(where))
    assert owner.external_id in text(alice.get(url(world.team, "owners_detail", owner.pk)))
    again = said(alice, world, **{"as": "program", "owner": str(owner.pk)})
    assert f"owner={owner.pk}" in again
    engine.tick(timezone.now() + timedelta(minutes=59))
    assert not Run.objects.filter(kind="erasure").exists()
    asked = ForgetRequest.objects.filter(owner=owner)
    assert {one.erase_at - one.created_at for one in asked if one.erase_at} == {TRIAL_LASTS}
    asked.update(erase_at=timezone.now())
    engine.tick(timezone.now())
    list(engine.run_pending(until_idle=True))
    owner.refresh_from_db()
    assert (owner.person, owner.external_id) == (None, f"erased-{owner.pk.hex}")
    assert not Message.objects.filter(conversation__owner=owner).exists()


def test_only_who_manages_tokens_makes_a_test_customer(world: World) -> None:
    where = url(world.team, "agents_connect_say", world.agent.pk)
    bob = signed_in(world.bob)
    assert bob.post(where, {"said": "I live in Porto.", "as": "program"}).status_code == 403
    assert bob.get(where).status_code == 405
    assert bob.post(where, {"said": " "}).status_code == 422
    assert signed_in(world.charlie).post(where, {"said": "Hello."}).status_code == 404
    assert not Owner.objects.filter(external_id__startswith="test-").exists()


def test_nobody_speaks_as_somebody_else(world: World) -> None:
    """Whoever names another's owner gets a test customer of their own."""
    alice = signed_in(world.alice)
    said(alice, world, **{"as": "program", "owner": str(world.customer.pk)})
    assert not Message.objects.filter(conversation__owner=world.customer).exists()
    shown = alice.get(address(world, world.agent, f"?as=program&owner={world.customer.pk}&ask=tea"))
    assert answered(text(shown)) == ""


def test_what_a_paused_person_says_is_not_kept_and_the_page_says_why(world: World) -> None:
    with scope(team=world.team):
        me = person_owner(world.team, world.bob)
    set_paused(owner=me, paused=True, by=SYSTEM)
    bob = signed_in(world.bob)
    page = text(bob.get(said(bob, world)))
    assert answered(page) == ""
    assert not Run.objects.filter(kind="extraction").exists()


def test_the_tab_says_how_much_waits(stage: Stage, alice: Client) -> None:
    page = text(alice.get(url(stage.world.team, "agents")))
    assert re.search(r"<title>\(\d+\) ", page)
    assert "moon-waits" in page
    assert "<title>(" not in text(signed_in(stage.world.charlie).get(reverse("profile")))
