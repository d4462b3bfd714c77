"""Calling the pages of a stage as a browser would, and comparing what comes back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django_scopes import scope

from tests.walls.web_routes import Route
from tests.walls.web_stage import Stage
from tests.world import World, signed_in

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

# Rows that a look at a page may touch: what is recorded about it, who is signed in and saw what.
MAY_CHANGE = frozenset(
    {"audit.Event", "audit.ChainHead", "audit.Label", "dreaming.Seen", "sessions.Session"}
)
_OF_ITS_OWN = re.compile(rb"""(?<=value=")[A-Za-z0-9]{64}(?=")|(?<=nonce[-=])"?[\w+/-]{20,}=*""")
Rows = dict[str, list[tuple[object, ...]]]


def clients_of(world: World) -> dict[str, Client]:
    people = {name: signed_in(user) for name, user in world.people.items()}
    return people | {"anonymous": Client()}


def call(client: Client, route: Route, stage: Stage, method: str = "") -> "Answer":
    data = form_of(route, stage)
    if route.upload:
        data["file"] = SimpleUploadedFile("snapshot.zip", route.upload)
    # As in production: outside of a team's scope every tenant query raises.
    with scope():
        if (method or route.method) == "POST":
            return client.post(address(route, stage), data)
        return client.get(address(route, stage))


def form_of(route: Route, stage: Stage) -> dict[str, Any]:
    return {key: _filled(value, stage) for key, value in route.data.items()}


def _filled(value: Any, stage: Stage) -> Any:
    if isinstance(value, list):
        return [_filled(one, stage) for one in value]
    return value.format(**stage.ids) if isinstance(value, str) else value


def address(route: Route, stage: Stage) -> str:
    ids = {name: stage.ids[key] for name, key in named(route).items()}
    return reverse(f"web:{route.name}", kwargs=ids) + route.query.format(**stage.ids)


def named(route: Route) -> dict[str, str]:
    """The ids in a route's address, each with the name that the stage has for it."""
    return {name: route.ids.get(name, name) for name in addresses()[f"web:{route.name}"]}


@cache
def addresses() -> dict[str, list[str]]:
    """Every address that is not the API's by its name, with the ids in it."""
    found: dict[str, list[str]] = {}

    def walk(resolver: URLResolver, names: list[str], prefix: str) -> None:
        for one in resolver.url_patterns:
            ids = [*names, *one.pattern.converters]
            if isinstance(one, URLPattern):
                found[f"{prefix}{one.name or one.pattern}"] = ids
            elif str(one.pattern) != "api/":
                walk(one, ids, f"{one.namespace}:" if one.namespace else prefix)

    walk(get_resolver(), [], "")
    return found


def looks(answer: "Answer") -> tuple[int, bytes, str, list[str]]:
    """All that a person who guesses could compare; a form's own token is no answer."""
    content = _OF_ITS_OWN.sub(b"", answer.content)
    headers = _OF_ITS_OWN.sub(b"", str(sorted(answer.headers.items())).encode()).decode()
    return answer.status_code, content, headers, sorted(answer.cookies)


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def everything(but: frozenset[str] = MAY_CHANGE) -> Rows:
    """All rows of all tables, as the database has them."""
    rows: Rows = {}
    with connection.cursor() as cursor:
        for label, select in _selects().items():
            if label not in but:
                cursor.execute(select)
                rows[label] = cursor.fetchall()
    return rows


@cache
def _selects() -> dict[str, str]:
    quoted = connection.ops.quote_name
    found = {}
    for table in (model._meta for model in apps.get_models() if not model._meta.proxy):
        name, key = quoted(table.db_table), quoted(str(table.pk.column))
        found[table.label] = f"SELECT * FROM {name} ORDER BY {key}"
    return found
