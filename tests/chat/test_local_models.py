"""An agent for local models only: its text goes to no other host, whatever asks."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent
from memoryweb.dreaming.status import warnings
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import HostRefused
from memoryweb.memory.writing import screening
from tests.api.callers import Callers
from tests.dreaming.nights import NIGHT, answer, dream, note
from tests.extraction.talking import extract, talk
from tests.fakes import ModelServer
from tests.llm.asking import TEAM, ask
from tests.world import World


@pytest.fixture
def agent(world: World) -> Agent:
    world.agent.local_models_only = True
    world.agent.save(update_fields=["local_models_only"])
    return world.agent


@pytest.fixture
def local_host(model_server: ModelServer, settings: Any) -> str:
    settings.LOCAL_MODEL_HOSTS = [host := str(urlsplit(model_server.url).netloc)]
    return host


def _asks_everywhere(world: World, callers: Callers) -> list[str]:
    """A chat, an extraction and a dream; the statuses, and by what the two went."""
    said = {"agentId": str(world.agent.pk), "endUserId": "customer-1", "message": "Hello?"}
    status = callers.helpdesk.post("/chat", said).status_code
    read = extract(world, talk(world))
    note(world, world.customer, NIGHT - timedelta(days=1), "Ines sails on Sundays.")
    return [str(status), read.consolidator, dream(world, world.customer).consolidator]


@pytest.mark.usefixtures("agent")
def test_what_it_holds_is_sent_to_no_other_host(
    world: World, callers: Callers, model_server: ModelServer
) -> None:
    assert _asks_everywhere(world, callers) == ["409", "rules", "rules"]
    assert model_server.requests == []


@pytest.mark.parametrize("work", ["extraction", "dream"])
def test_a_switch_in_the_middle_of_a_run_holds_for_its_next_call(
    world: World, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, work: str
) -> None:
    told = screening.data_for_prompt

    def told_and_switched(*given: Any, **more: Any) -> Any:
        Agent.objects.filter(pk=world.agent.pk).update(local_models_only=True)
        return told(*given, **more)

    monkeypatch.setattr(screening, "data_for_prompt", told_and_switched)
    if work == "extraction":
        extract(world, talk(world))
    else:
        note(world, world.customer, NIGHT - timedelta(days=1), "Ines sails on Sundays.")
        dream(world, world.customer)
    world.agent.refresh_from_db()
    assert world.agent.local_models_only
    assert model_server.requests == []


@pytest.mark.usefixtures("model_server")
def test_its_page_says_so(agent: Agent) -> None:
    said = "It asks local models only, and the team has none: the rules do the work."
    assert said in list(warnings(agent, timezone.now()))


def test_a_local_model_is_asked(
    agent: Agent, world: World, model_server: ModelServer, local_host: str
) -> None:
    assert configured(agent.team_id, local_only=True)
    note(world, world.customer, NIGHT - timedelta(days=1), "Ines sails on Sundays.")
    model_server.answer(answer())
    assert dream(world, world.customer).consolidator == "model"
    assert [one for one in warnings(agent, timezone.now()) if "local" in one] == []
    assert len(model_server.requests) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("listed", [[], ["other.example"], ["127.0.0.1:1"]])
def test_only_a_host_that_is_listed_is_local(
    model_server: ModelServer, settings: Any, listed: list[str]
) -> None:
    settings.LOCAL_MODEL_HOSTS = listed
    assert configured(TEAM)
    assert not configured(TEAM, local_only=True)
    with pytest.raises(HostRefused):
        ask(local_only=True)
    assert model_server.requests == []
