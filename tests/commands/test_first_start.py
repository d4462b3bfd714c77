"""A first start leads into something that works, wherever it was cut short before."""

import re
import shlex
import stat
from collections.abc import Callable, Iterable
from html import unescape
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django_scopes import scopes_disabled
from pytest_django import Settings

from memoryweb.accounts.models import Membership, Team, User
from memoryweb.accounts.teams import remove_demo
from memoryweb.agents.models import Agent
from memoryweb.audit.record import SYSTEM
from memoryweb.commands.demo import building
from memoryweb.dreaming.models import Operation, Report
from memoryweb.llm.endpoint import configured
from memoryweb.llm.models import TeamModel
from memoryweb.memory.models import Conversation, Fact, Injection
from memoryweb.memory.review.inbox import Inbox
from memoryweb.runs.models import Run
from tests.api.client import Api
from tests.commands.calling import run
from tests.fakes import ModelServer
from tests.web.pages import text

pytestmark = pytest.mark.django_db(transaction=True)
has_demo = pytest.mark.only_on("sqlite", why="the demo is SQLite's alone")


@pytest.fixture(autouse=True)
def _short_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "DAYS", 1)


class CutShort:
    """Ctrl-C, or the machine, in the middle of one statement."""

    def __init__(self, table: str, at: int) -> None:
        self.table, self.left = table, at

    def __call__(self, execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        if sql.startswith("INSERT") and self.table in sql:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return execute(sql, *more)


def signed_in(said: str) -> Client:
    password = re.findall(r"with the password (\S+)", said)[-1]
    client = Client()
    address = reverse("account_login")
    answer = client.post(address, {"login": "admin@memoryweb.example", "password": password})
    assert answer.status_code == 302
    return client


def token_in(said: str) -> str:
    return str(re.findall(r"mwp_\w+", said)[-1])


@pytest.mark.databases
def test_the_sign_in_and_the_token_open_what_there_is_to_see_and_are_said_once() -> None:
    said = run("first_start").output
    team = Team.objects.filter(is_demo=True).first() or Team.objects.get(name="My team")
    answer = signed_in(said).get(reverse("home"), follow=True)
    assert answer.redirect_chain[-1][0] == f"/t/{team.slug}/"
    agents = Api(token_in(said)).get("/agents").json()
    assert bool(agents["items"]) == team.is_demo
    assert said.count("with the password ") == said.count("mwp_") == 1
    again = run("first_start").output
    assert "Nothing was added" in again
    assert "password" not in again


@has_demo
def test_the_calls_of_connect_and_of_the_readme_work_with_the_token_as_they_stand() -> None:
    said = run("first_start").output
    agent = Agent.objects.get(name="Otto")
    page = text(signed_in(said).get(f"/t/{agent.team.slug}/agents/{agent.pk}/connect/?as=program"))
    curl = re.search(r'<pre id="code-curl"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert curl is not None
    calls = unescape(curl[1]).replace("\\\n", " ").split("curl -sS -w '\\n' ")[1:]
    for words in map(shlex.split, calls):
        path = words[0].removeprefix("http://testserver/api/v1")
        answer = Api(token_in(said)).post(path, words[words.index("-d") + 1].encode())
        assert answer.status_code == 200, answer.content
    path, asked = f"/agents/{agent.pk}/context", {"endUserId": "customer-4711", "message": "Hello"}
    assert Api(token_in(said)).post(path, asked).json()["included"]


@pytest.mark.parametrize(
    ("table", "at"),
    [
        pytest.param("accounts_membership", 1, marks=pytest.mark.slow),
        pytest.param("accounts_membership", 3, marks=[has_demo, pytest.mark.slow]),
        pytest.param("workspace_file", 9, marks=[has_demo, pytest.mark.slow]),
        pytest.param("extraction_extraction", 1, marks=[has_demo, pytest.mark.slow]),
        pytest.param("dreaming_report", 1, marks=[has_demo, pytest.mark.slow]),
        pytest.param("accounts_token", 1, marks=pytest.mark.databases),
    ],
)
def test_a_start_that_was_cut_short_is_done_again(table: str, at: int) -> None:
    cut = CutShort(table, at)
    with connection.execute_wrapper(cut), pytest.raises(KeyboardInterrupt):
        call_command("first_start")
    said = run("first_start").output
    signed_in(said)
    assert Api(token_in(said)).get("/agents").status_code == 200
    assert Team.objects.filter(name=building.NAME).count() == (connection.vendor == "sqlite")
    assert Team.objects.filter(name="My team").count() == 1
    assert not Run.objects.active().exists()
    assert [run(*check).failure for check in (["reindex", "--check"], ["audit_verify"])] == ["", ""]


@has_demo
def test_what_was_said_before_it_was_cut_short_is_enough_to_sign_in(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with (
        connection.execute_wrapper(CutShort("conversations_message", 1)),
        pytest.raises(KeyboardInterrupt),
    ):
        call_command("first_start")
    signed_in(capsys.readouterr().out)


@pytest.mark.slow
@has_demo
def test_a_demo_that_was_removed_does_not_come_back() -> None:
    run("first_start")
    remove_demo(team=Team.objects.get(is_demo=True), by=SYSTEM)
    assert "Nothing was added" in run("first_start").output
    assert User.objects.get().email == "admin@memoryweb.example"


@has_demo
@pytest.mark.slow
def test_the_fortnight_holds_whatever_can_happen_to_a_statement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(building, "DAYS", 13)
    run("first_start")
    with scopes_disabled():
        did = {(one.report.agent.name, one.outcome) for one in _last_night()}
        team = Team.objects.get(is_demo=True)
        waits = {item.kind for item in Inbox(team, lambda _owner, _takes: Q())[:50]}
        spoken = set(Fact.objects.exclude(why="").values_list("why", flat=True))
        shared = Fact.objects.living().filter(owner=None).values_list("agent__name", flat=True)
        used = Injection.objects.filter(via=Injection.Via.CONTEXT).values_list("hits", flat=True)
    assert did >= {("Ada", "add"), ("Ada", "replace"), ("Ada", "retire"), ("Otto", "add")}
    assert waits == {"proposal", "contradiction", "forget", "flag"}
    assert not run("review", "--check").failure
    assert Fact.Why.REWORDED in spoken
    assert set(shared) == {"Ada", "Otto", "Tilde"}
    assert min(used) == 0 < max(used)


def _last_night() -> Iterable[Operation]:
    """What the newest dream of each memory did."""
    latest = Report.objects.order_by("-dreamt_at").values_list("run__night", flat=True).first()
    done = Operation.objects.filter(code="", waits="", report__run__night=latest)
    return done.select_related("report__agent")


@pytest.mark.slow
@has_demo
def test_the_demo_asks_no_model_also_where_one_is_set_up(model_server: ModelServer) -> None:
    """It would take minutes, and a paid one would charge for what nobody asked for."""
    run("first_start")
    with scopes_disabled():
        team = Team.objects.get(is_demo=True)
        assert set(Run.objects.values_list("consolidator", flat=True)) <= {"rules", ""}
        assert not Conversation.objects.filter(waiting=True).exists()
        assert not Run.objects.active().exists()
    assert model_server.requests == []
    assert configured(team.pk)  # from now on, as the settings say
    assert not TeamModel.objects.filter(team_id=team.pk).exists()


SETUP = {
    "MEMORYWEB_SETUP_TEAM": "Harbour",
    "MEMORYWEB_SETUP_ADMIN": "Ann@harbour.example",
    "MEMORYWEB_SETUP_AGENT": "Otto",
    "MEMORYWEB_SETUP_LANGUAGE": "de",
    "MEMORYWEB_SETUP_INTEGRATION": "helpdesk",
}


@pytest.fixture
def token_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "token"
    for name, value in (SETUP | {"MEMORYWEB_SETUP_TOKEN_FILE": str(file)}).items():
        monkeypatch.setenv(name, value)
    return file


@pytest.mark.databases
def test_the_environment_sets_up_a_team_once(token_file: Path) -> None:
    said = run("first_start").output
    assert "Ann@harbour.example with the password " in said
    assert "mwp_" not in said
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
    api = Api(token_file.read_text().strip())
    [agent] = api.get("/agents").json()["items"]
    assert (agent["name"], agent["language"]) == ("Otto", "de")
    [membership] = Membership.objects.filter(team__name="Harbour")
    assert (membership.user.email, membership.role) == ("ann@harbour.example", "admin")
    token_file.unlink()
    assert "Nothing was added" in run("first_start").output
    assert not token_file.exists()
    assert Team.objects.filter(is_system=False).count() == 1


@pytest.mark.databases
def test_of_two_that_set_up_at_once_one_does(token_file: Path) -> None:
    said: list[str] = []
    together = Barrier(2)

    def start() -> None:
        together.wait()
        said.append(run("first_start").output)
        connection.close()

    threads = [Thread(target=start) for _n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted("Nothing was added" in one for one in said) == [False, True]
    assert Team.objects.filter(is_system=False).count() == 1
    assert Api(token_file.read_text().strip()).get("/agents").status_code == 200


def test_what_can_not_be_set_up_is_told_and_leaves_nothing(
    token_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYWEB_SETUP_TOKEN_FILE", str(token_file / "none" / "token"))
    assert "cannot be used" in run("first_start").failure
    monkeypatch.delenv("MEMORYWEB_SETUP_TOKEN_FILE")
    assert "both or neither" in run("first_start").failure
    monkeypatch.delenv("MEMORYWEB_SETUP_INTEGRATION")
    monkeypatch.setenv("MEMORYWEB_SETUP_LANGUAGE", "fr")
    assert "is one of en, de, ja" in run("first_start").failure
    assert not User.objects.exists()
    assert not Team.objects.filter(is_system=False).exists()


@pytest.mark.parametrize("name", ["Harbour", ""])
def test_where_only_superusers_have_passwords_the_admin_is_one(
    token_file: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, name: str
) -> None:
    settings.LOCAL_PASSWORDS = False
    monkeypatch.setenv("MEMORYWEB_SETUP_TEAM", name)
    password = re.findall(r"with the password ([^\s,]+)", run("first_start").output)[-1]
    email = "ann@harbour.example" if name else "admin@memoryweb.example"
    answer = Client().post(reverse("account_login"), {"login": email, "password": password})
    assert answer.status_code == 302
