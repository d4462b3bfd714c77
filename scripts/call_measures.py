"""How fast a call of the API is beside a bare view of Django with one query, in one run."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client, override_settings
from django.urls import path
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from scripts.measures import agent_and_owner

ROUNDS, CALLS = 7, 60


@login_not_required
def bare(_request: HttpRequest) -> HttpResponse:
    return JsonResponse({"name": Team.objects.values_list("name", flat=True).first()})


urlpatterns = [path("bare/", bare)]


def run() -> None:
    team = create_team(name="Calls", by=SYSTEM)
    with scope(team=team):
        agent, _owner = agent_and_owner(team, "calls")
        with write_transaction(team) as tx:
            place = Place(agent, None, "KNOWLEDGE.md")
            write(tx, place, "- Tea at five.\n" * 40, writer=Writer(AuthorKind.PERSON))
        integration = team.integrations.get(name="calls")
    _token, secret = tokens.issue(
        team=team, by=SYSTEM, integration=integration, name="Bench", scopes=integration.scopes
    )
    headers = {"Authorization": f"Bearer {secret}"}
    address = f"/api/v1/agents/{agent.pk}/workspace/files/KNOWLEDGE.md?owner=shared"
    client, ratios = Client(SERVER_NAME="localhost"), []
    for _turn in range(ROUNDS):  # side by side: the machine is busy for both
        ours = _seconds(partial(client.get, address, headers=headers))
        with override_settings(ROOT_URLCONF="scripts.call_measures", MIDDLEWARE=[]):
            plain = Client(SERVER_NAME="localhost")
            theirs = _seconds(partial(plain.get, "/bare/"))
        ratios.append(theirs / ours)
    ratio = sorted(ratios)[ROUNDS // 2]
    print(f"{'API GET of a file, of a bare view with a query':<48}{ratio:9.2f} of its pace")


def _seconds(call: Callable[[], Any]) -> float:
    answer = call()
    assert answer.status_code == 200, answer.content[:200]
    started = time.process_time()
    for _turn in range(CALLS):
        call()
    return time.process_time() - started
