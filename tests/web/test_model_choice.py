"""Settings → Model: who may choose, what is shown before, and that a key never comes back."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django_scopes import scope

from memoryweb.llm import usage
from memoryweb.llm.models import TeamModel
from memoryweb.llm.tokens import estimate
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream, note
from tests.fakes import Behaviour, ModelServer
from tests.web.pages import actions, text, tight, url
from tests.world import World

KEY = "key-of-the-team-4711"
OWN = {"provider": "openai", "base_url": "https://models.example/v1", "model": "their-model"}


@pytest.fixture(autouse=True)
def hosts(settings: Any) -> None:
    settings.MODEL_HOSTS = ["models.example"]


def test_what_a_night_will_take_is_shown_before_a_model_is_used(
    world: World, alice: Client, settings: Any
) -> None:
    with scope(team=world.team):
        for days in range(7):
            Run.objects.create(
                team=world.team, agent=world.agent, kind="dream", status="succeeded",
                trigger="cron", clock=timezone.now() - timedelta(days=days, hours=1),
            )  # fmt: skip
    alice.post(url(world.team, "settings_model_own"), OWN | {"price_in": "1000", "price_out": "0"})
    page = tight(alice.get(url(world.team, "settings_model")))
    assert "a model would be asked about once a night" in page
    assert "their-model, about " in page
    assert TeamModel.objects.get().choice == "installation"


def test_a_key_is_written_and_never_read(world: World, alice: Client, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    address = url(world.team, "settings_model_own")
    saved = alice.post(address, OWN | {"key": KEY}, follow=True)
    assert "Saved. Make a test call" in text(saved)
    assert "A key is stored" in text(saved)
    failed = alice.post(address, OWN | {"base_url": "https://other.example", "key": KEY})
    assert failed.status_code == 422
    assert "not one of those in MEMORYWEB_MODEL_HOSTS" in text(failed)
    events = text(alice.get(url(world.team, "audit")))
    assert KEY not in f"{text(saved)}{text(failed)}{events}{caplog.text}"
    moved = alice.post(address, OWN | {"base_url": "https://models.example/v2"}, follow=True)
    assert "The address changed, so the key was deleted." in text(moved)


def test_a_test_call_says_how_it_went(
    world: World, alice: Client, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_HOSTS = ["127.0.0.1"]
    address = url(world.team, "settings_model_test")
    model_server.answer({"operations": []}, tokens=(30, 5))
    assert "and took 35 tokens." in text(
        alice.post(address, {"choice": "installation"}, follow=True)
    )
    model_server.status(401)
    said = text(alice.post(address, {"choice": "installation"}, follow=True))
    assert "The test call failed. The model endpoint rejected the key (401)." in said
    alice.post(url(world.team, "settings_model_own"), OWN | {"base_url": "https://127.0.0.1/v1"})
    said = text(alice.post(address, {"choice": "own"}, follow=True))
    assert "The host is in a private network" in said
    assert actions(world.team).count("model.tested") == 3


def test_a_model_that_cannot_be_asked_cannot_be_chosen(world: World, alice: Client) -> None:
    address = url(world.team, "settings_model_use")
    for choice in ("own", "installation", "other"):
        assert alice.post(address, {"choice": choice}).status_code == 422
    assert not TeamModel.objects.exists()
    alice.post(url(world.team, "settings_model_own"), OWN)
    assert alice.post(address, {"choice": "own"}).status_code == 302
    alice.post(url(world.team, "settings_model_remove"))
    assert TeamModel.objects.get().choice == "none"


def test_a_team_may_not_raise_what_the_installation_allows(
    world: World, alice: Client, settings: Any
) -> None:
    settings.DAILY_TOKENS = 1000
    address = url(world.team, "settings_model_budget")
    assert alice.post(address, {"daily_tokens": "1001"}).status_code == 422
    assert alice.post(address, {"daily_tokens": "400", "daily_cost": "2.5"}).status_code == 302
    world.team.refresh_from_db()
    assert world.team.daily_tokens == 400
    with usage.reserved(world.team.pk, 1, price=lambda _in, _out: 2_100_000):
        pass
    assert "2.10 of 2.50 are spent today." in text(alice.get(url(world.team, "settings_model")))


def test_admins_alone_see_it(world: World, bob: Client, audrey: Client, charlie: Client) -> None:
    address = url(world.team, "settings_model")
    assert [one.get(address).status_code for one in (bob, audrey, charlie)] == [403, 200, 404]
    assert "Which model to use" not in text(audrey.get(address))
    assert address not in text(bob.get(url(world.team, "settings")))


def test_a_test_call_asks_what_a_night_asks_and_says_so(
    world: World, alice: Client, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_HOSTS = ["127.0.0.1"]
    page = text(alice.get(url(world.team, "settings_model")))
    assert "A test call asks what a night asks" in page
    model_server.answer({"operations": []})
    alice.post(url(world.team, "settings_model_test"), {"choice": "installation"})
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, world.customer)
    trial, night = model_server.requests
    assert trial.system == night.system
    assert trial.data.keys() == night.data.keys()
    sent = [one.body["response_format"]["json_schema"]["schema"] for one in (trial, night)]
    assert sent[0]["properties"].keys() == sent[1]["properties"].keys()
    assert 3_000 < estimate(trial.system) + estimate(trial.user) < 6_000


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (400, {"error": {"message": "Context size has been exceeded."}}, "larger context"),
        (503, {"error": {"message": "Loading model"}}, "still loading"),
    ],
)
def test_a_test_call_finds_a_server_that_is_too_small_or_not_ready(
    alice: Client,
    world: World,
    model_server: ModelServer,
    settings: Any,
    status: int,
    body: dict[str, Any],
    why: str,
) -> None:
    settings.MODEL_HOSTS, settings.DREAM_TIMEOUT_SECONDS = ["127.0.0.1"], 5
    answer = Behaviour(status=status, raw=json.dumps(body).encode(), streams=False)
    model_server.default = lambda _: answer
    address = url(world.team, "settings_model_test")
    assert why in text(alice.post(address, {"choice": "installation"}, follow=True))
