"""What models cost and how background work fares, as admins and auditors see it."""

import re
from datetime import timedelta
from uuid import uuid4

from django.test import Client
from django.utils import timezone
from django_scopes import scope

from memoryweb.llm import usage
from memoryweb.runs.models import Beat, Run
from tests.web.pages import text, url
from tests.world import World


def test_tokens_are_summed_by_agent_and_by_work(world: World, alice: Client) -> None:
    for kind, tokens in (("dream", 1_200), ("dream", 300), ("extraction", 41)):
        _ran(world, kind=kind, status="succeeded", tokens_in=tokens)
    page = _words(alice, "settings_model", world)
    assert "1,541 tokens in 30 days" in page
    assert "Atlas 3 1,541 0" in page
    assert "Dream 2 1,500 0" in page
    assert "of today's" not in page


def test_chats_count_beside_runs(world: World, alice: Client) -> None:
    _ran(world, kind="dream", status="succeeded", tokens_in=100)
    for agent_id in (world.agent.pk, world.agent.pk, uuid4()):
        with usage.reserved(world.team.pk, 80, chat_with=agent_id) as spent:
            spent.tokens_in, spent.tokens_out = 70, 6
    page = _words(alice, "settings_model", world)
    assert "328 tokens in 30 days" in page
    assert "Atlas 3 240 12" in page
    assert "A deleted agent 1 70 6" in page
    assert "Chat 3 210 18" in page


def test_four_fifths_of_the_day_s_tokens_are_told(
    world: World, alice: Client, model_server: object
) -> None:
    world.team.daily_tokens = 100
    world.team.save(update_fields=["daily_tokens"])
    with usage.reserved(world.team.pk, 80, 100) as spent:
        spent.tokens_in = 80
    assert "Over four fifths of today's budget" in _words(alice, "settings_model", world)


def test_health_tells_the_queue_and_what_failed(world: World, audrey: Client) -> None:
    address = url(world.team, "settings_health")
    Beat.objects.create(name="tick", at=timezone.now())
    assert "All is well" in text(audrey.get(address))
    _ran(world, kind="dream", status="queued", due_at=timezone.now() - timedelta(hours=1))
    _ran(world, kind="extraction", status="failed", reason="model_key_refused")
    page = _words(audrey, "settings_health", world)
    assert "A run has been waiting for 60 minutes." in page
    assert "Dream 0 1" in page
    assert "The model endpoint refused the key." in page
    Run.objects.filter(status="queued").delete()
    page = _words(audrey, "settings_health", world)
    assert "The installation is well, but 1 run of this team failed this week." in page
    assert "All is well" not in page


def test_members_see_neither(world: World, bob: Client) -> None:
    for name in ("settings_model", "settings_health"):
        assert bob.get(url(world.team, name)).status_code == 403


def test_the_palette_leads_to_every_page_of_an_agent(world: World, bob: Client) -> None:
    page = text(bob.get(url(world.team, "palette")))
    for name in ("agents_detail", "agents_dreams", "agents_tonight", "agents_prompt"):
        assert url(world.team, name, world.agent.pk) in page
    assert "settings/health" not in page


def _words(client: Client, name: str, world: World) -> str:
    return " ".join(re.sub("<[^>]*>", " ", text(client.get(url(world.team, name)))).split())


def _ran(world: World, **about: object) -> None:
    ended = {} if about["status"] == "queued" else {"finished_at": timezone.now()}
    with scope(team=world.team):
        Run.objects.create(team=world.team, agent=world.agent, trigger="cron", **(ended | about))


def test_who_looks_at_dreams_is_told_when_the_day_s_tokens_run_out(
    world: World, alice: Client, model_server: object
) -> None:
    world.team.daily_tokens = 100
    world.team.save(update_fields=["daily_tokens"])
    address = url(world.team, "agents_dreams", world.agent.pk)
    said = []
    for tokens in (79, 1, 20):
        with usage.reserved(world.team.pk, tokens, 100) as spent:
            spent.tokens_in = tokens
        page = text(alice.get(address))
        said.append(("Over four fifths of today" in page, "budget is used up" in page))
    assert said == [(False, False), (True, False), (False, True)]
