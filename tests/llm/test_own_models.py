"""A team's own endpoint: where it may be, what it is called with, and who can read its key."""

import socket
from collections.abc import Callable
from typing import Any

import httpcore
import pytest
from django.db import connection

from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM
from memoryweb.dreaming.preview import trial
from memoryweb.llm import choices
from memoryweb.llm.choices import Own
from memoryweb.llm.endpoint import configured
from memoryweb.llm.exceptions import HostRefused, ModelError, NotConfigured, RequestRefused
from memoryweb.llm.models import TeamModel
from tests.fakes import Behaviour, ModelServer
from tests.llm.asking import TEAM, ask

pytestmark = pytest.mark.django_db

HOST, ADDRESS = "models.example", "93.184.216.34"
KEY = "key-of-the-team-4711"
OWN = Own("openai", f"https://{HOST}/v1", "their-model", KEY, price_in=2.0, price_out=4.0)


class Net:
    """Names that resolve as a test says, and connections that all end at the fake endpoint."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.names: dict[str, list[list[str]]] = {HOST: [[ADDRESS]]}
        self.dialled: list[str] = []
        self.proven: list[str] = []

    def resolve(self, host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
        answers = self.names[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]


class _Plain(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, net: Net) -> None:
        self.read, self.write, self.close = inner.read, inner.write, inner.close  # type: ignore[method-assign]
        self.get_extra_info = inner.get_extra_info  # type: ignore[method-assign]
        self._net = net

    def start_tls(self, ssl_context: Any, server_hostname: Any = None, timeout: Any = None) -> Any:
        self._net.proven.append(server_hostname)
        return self


@pytest.fixture
def net(model_server: ModelServer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Net:
    settings.MODEL_HOSTS = [HOST]
    settings.MODEL_PROVIDER = ""
    found = Net(int(model_server.url.split(":")[2].split("/")[0]))
    real: Callable[..., Any] = socket.getaddrinfo
    connect = httpcore.SyncBackend.connect_tcp

    def resolve(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        known = host in found.names
        return found.resolve(host, port) if known else real(host, port, *rest, **more)

    def dial(self: Any, host: str, port: int, *rest: Any) -> Any:
        found.dialled.append(host)
        return _Plain(connect(self, "127.0.0.1", found.port, *rest), found)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", dial)
    return found


def _use_own() -> TeamModel:
    choices.set_own(table=TeamModel, team_id=TEAM, own=OWN, by=SYSTEM)
    return choices.choose(table=TeamModel, team_id=TEAM, choice="own", by=SYSTEM)


def test_its_own_model_is_asked_with_its_key_at_the_address_that_was_looked_at(
    net: Net, model_server: ModelServer
) -> None:
    _use_own()
    model_server.answer({"text": "x"}, tokens=(1000, 100))
    said = ask()
    assert (said.model, said.cost_micros) == ("their-model", 2400)
    assert model_server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert net.dialled == [ADDRESS]
    assert net.proven == [HOST]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.5", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "255.255.255.255", "224.0.0.1", "192.0.2.1", "::1", "::", "fe80::1",
        "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.5",
        "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1", "2001:0:7f00:1::", "not an address",
    ],
)  # fmt: skip
def test_no_private_address_is_ever_connected_to(
    net: Net, model_server: ModelServer, address: str
) -> None:
    _use_own()
    for found in ([address], [ADDRESS, address], [address, ADDRESS]):
        net.names[HOST] = [found]
        with pytest.raises(HostRefused):
            ask()
    assert net.dialled == []
    assert model_server.requests == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "[::1]", "localhost"])
def test_other_ways_to_write_this_machine_are_refused_though_they_are_listed(
    net: Net, settings: Any, host: str
) -> None:
    settings.MODEL_HOSTS = [host.strip("[]")]
    own = Own("openai", f"https://{host}/v1", "m", KEY)
    choices.set_own(table=TeamModel, team_id=TEAM, own=own, by=SYSTEM)
    choices.choose(table=TeamModel, team_id=TEAM, choice="own", by=SYSTEM)
    with pytest.raises(HostRefused):
        ask()
    assert net.dialled == []


def test_a_name_that_means_something_else_a_moment_later_is_looked_at_again(
    net: Net, model_server: ModelServer
) -> None:
    """The connection goes to what was looked at; the next call looks again."""
    _use_own()
    net.names[HOST] = [[ADDRESS], ["127.0.0.1"]]
    model_server.answer({"text": "x"})
    ask()
    with pytest.raises(HostRefused):
        ask()
    assert net.dialled == [ADDRESS]


def test_a_redirect_is_not_followed(net: Net, model_server: ModelServer) -> None:
    _use_own()
    elsewhere = {"Location": "http://169.254.169.254/latest"}
    model_server.then(Behaviour(status=307, headers=elsewhere, raw=b"{}", streams=False))
    with pytest.raises(RequestRefused):
        ask()
    assert len(net.dialled) == 1


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/v1", "http://models.example/v1", "https://a:b@models.example/v1",
        "https://models.example.evil.example/v1", "https://models.example/v1?x=1", "ftp://x", "",
    ],
)  # fmt: skip
def test_only_hosts_of_the_operators_list_are_taken(net: Net, url: str) -> None:
    with pytest.raises(HostRefused):
        choices.set_own(table=TeamModel, team_id=TEAM, own=Own("openai", url, "m", KEY), by=SYSTEM)
    assert not TeamModel.objects.exists()


def test_a_host_that_leaves_the_list_is_called_no_more(net: Net, settings: Any) -> None:
    _use_own()
    for hosts in (["other.example"], []):
        settings.MODEL_HOSTS = hosts
        with pytest.raises(HostRefused):
            ask()
    assert net.dialled == []


def test_the_key_is_sealed_and_opens_for_no_other_team_or_address(net: Net) -> None:
    row = _use_own()
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM llm_teammodel")
        stored = [bytes(v) if isinstance(v, memoryview) else v for v in cursor.fetchone()]
    assert KEY not in repr(stored)
    TeamModel.objects.filter(pk=row.pk).update(base_url=f"https://{HOST}/v2")
    with pytest.raises(NotConfigured):
        ask()
    assert net.dialled == []


@pytest.mark.parametrize(
    ("own", "has_key"),
    [
        (Own("openai", OWN.base_url + "/", "another-model"), True),
        (Own("openai", f"https://{HOST}/v2", "their-model"), False),
        (Own("anthropic", OWN.base_url, "their-model"), False),
        (Own("openai", f"https://{HOST}/v2", "their-model", "another-key"), True),
    ],
)
def test_another_address_deletes_the_key(net: Net, own: Own, has_key: bool) -> None:
    _use_own()
    assert choices.set_own(table=TeamModel, team_id=TEAM, own=own, by=SYSTEM).has_key == has_key


def test_no_event_holds_the_key(net: Net, model_server: ModelServer, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    _use_own()
    model_server.status(401, f"{KEY} is wrong")
    with pytest.raises(ModelError) as raised:
        choices.try_out(team_id=TEAM, choice="own", trial=trial(), daily_tokens=None, by=SYSTEM)
    choices.remove_own(table=TeamModel, team_id=TEAM, by=SYSTEM)
    events = Event.objects.filter(team_id=TEAM).order_by("seq")
    told = [(event.action, event.reason_code, event.details) for event in events]
    labels = list(Label.objects.filter(team_id=TEAM).values_list("name", "text"))
    assert [action for action, _code, _details in told] == [
        "model.changed",
        "model.chosen",
        "model.tested",
        "model.removed",
    ]
    assert told[2][1] == "model_key_refused"
    assert ("model", "their-model") in labels
    assert KEY not in f"{told}{labels}{raised.value!r}{raised.value.__context__!r}{caplog.text}"


def test_who_removes_the_model_in_use_has_none(net: Net, settings: Any) -> None:
    settings.MODEL_PROVIDER = "openai"
    _use_own()
    row = choices.remove_own(table=TeamModel, team_id=TEAM, by=SYSTEM)
    assert (row.choice, row.has_key) == ("none", False)
    assert not configured(TEAM)
    with pytest.raises(NotConfigured):
        ask()


def test_none_means_that_the_installations_model_is_not_asked(
    model_server: ModelServer, settings: Any
) -> None:
    assert configured(TEAM)
    choices.choose(table=TeamModel, team_id=TEAM, choice="none", by=SYSTEM)
    assert not configured(TEAM)
    with pytest.raises(NotConfigured):
        ask()
    assert model_server.requests == []


def test_a_model_is_tried_before_it_is_used(net: Net, model_server: ModelServer) -> None:
    choices.set_own(table=TeamModel, team_id=TEAM, own=OWN, by=SYSTEM)
    model_server.answer({"operations": []}, tokens=(30, 5))
    said = choices.try_out(team_id=TEAM, choice="own", trial=trial(), daily_tokens=None, by=SYSTEM)
    assert said.startswith("their-model answered in ")
    assert said.endswith("took 35 tokens.")
    assert not configured(TEAM)
