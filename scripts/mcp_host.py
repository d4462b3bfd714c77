"""Our own server for clients of other people, with an agent and a token; and what stands between a
client of MCP and it: it adds who calls, and for whom."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.core.wsgi import get_wsgi_application
from django_scopes import scopes_disabled

from memoryweb.accounts.integrations import create_integration
from memoryweb.accounts.members import add_member
from memoryweb.accounts.permissions import Role, Scope
from memoryweb.accounts.teams import create_team
from memoryweb.accounts.tokens import issue
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.models.writer import write_transaction

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    _agent, token = made()
    with served(_as_host(get_wsgi_application(), token)) as site:
        yield f"{site}/mcp"


@contextmanager
def served(application: Application, port: int = 0) -> Iterator[str]:
    server = make_server("127.0.0.1", port, application, _Server, _Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _as_host(application: Application, token: str) -> Application:
    """The suite knows no tokens and no owners: they are what a host adds to its client's calls."""
    host = {"HTTP_AUTHORIZATION": f"Bearer {token}", "HTTP_MEMORYWEB_OWNER": "api:customer-1"}
    return lambda environ, start: application(environ | host, start)


def made(*more: Scope, email: str = "", password: str = "") -> tuple[str, str]:
    """An agent's id, and the secret of an integration's token; and who has that address."""
    with scopes_disabled():
        team = create_team(name="Conformance", by=SYSTEM)
        with write_transaction(team) as tx:
            agent = create_agent(tx, name="Ada")
        if email:
            add_member(team=team, email=email, role=Role.MEMBER, by=SYSTEM, password=password)
        host = create_integration(team=team, name="suite", by=SYSTEM)
        _row, secret = issue(
            team=team,
            by=SYSTEM,
            name="suite",
            scopes=[Scope.MEMORY_READ, Scope.MEMORY_WRITE, *more],
            integration=host,
        )
    return str(agent.pk), secret
