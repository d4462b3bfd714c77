"""Names hold words, too: after erasing, no column that can hold a name has the forgotten ones."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, models
from django.utils import timezone
from django_scopes import scope, scopes_disabled

from memoryweb.accounts.integrations import create_integration
from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner, Reader
from memoryweb.api.models import Idempotency
from memoryweb.audit.models import Event, Label
from memoryweb.audit.record import SYSTEM
from memoryweb.audit.verify import verify
from memoryweb.dreaming.models import Candidate
from memoryweb.memory import entries
from memoryweb.memory.forgetting.hiding import undo
from memoryweb.memory.models import AuthorKind, File, ForgetRequest, Message, Receipt
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.visible.text_matching import names_of
from memoryweb.memory.writing import in_place, write
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.walls.forgotten_stage import CUSTOMERS, SHARED, Forgotten, hide, planted
from tests.world import World, integration_token

pytestmark = pytest.mark.django_db
NAME = f"about {CUSTOMERS} then"
# Found by walking the models.
COLUMNS = [f"{table.label}.{name}" for table in in_place.tables() for name in sorted(table.names)]


def named(world: World) -> Forgotten:
    """The customer's memory with the word in every name that it has."""
    living = planted(world)
    with scope(team=world.team):
        _through_doors(world)
        _in_rows(world)
    return living


def _through_doors(world: World) -> None:
    person = Writer(AuthorKind.PERSON, user=world.bob)
    agent, owner = world.agent, world.customer
    with write_transaction(world.team) as tx:
        place = Place(agent, owner, f"structured/{CUSTOMERS}/notes.md")
        text = f"# {CUSTOMERS.title()} plan\n\n- The kettle is green.\n"
        write.write(tx, place, text, writer=person, reason=NAME)
        write.write(tx, place, f"{text}- The kettle is old.\n", writer=person)
        entries.add(
            tx, Memory(agent, owner), f"on {CUSTOMERS}", "Tea.", writer=person, aliases=[NAME]
        )
    open_glass(owner=owner, user=world.alice, reason=NAME, by=SYSTEM)
    integration_token(world.integration)
    token = world.integration.tokens.latest("created_at")
    Idempotency.objects.create(
        team=world.team, token=token, key=f"k-{CUSTOMERS}", status=200, body=json.dumps([NAME])
    )


def _in_rows(world: World) -> None:
    """Straight into a row of each table; files and what follows from them came by their doors."""
    memory = Memory(world.agent, world.customer)
    for table in in_place.tables():
        if table.label in {"memory.File", "memory.Passage", "memory.Alias"}:
            continue
        rows = table.rows(world.team.pk).filter(table.within(memory))
        row = rows.order_by("-pk").first()
        if row is None:
            continue
        changed: dict[str, Any] = {}
        for name in table.names:
            field = table.model._meta.get_field(name)
            is_json = isinstance(field, models.JSONField)
            changed[name] = [{"path": NAME}] if is_json else NAME.replace(" ", "-")
            if name == "tools_used":
                changed[name] = [f"look.{CUSTOMERS}"]
        rows.filter(pk=row.pk).update(**changed)


def erased(request: ForgetRequest) -> None:
    ForgetRequest.objects.filter(pk=request.pk).update(erase_at=timezone.now())
    engine.tick(timezone.now() + timedelta(seconds=1))
    runs = [run for run in engine.run_pending() if run.kind == Run.Kind.ERASURE]
    assert [run.error for run in runs] == [""]


def holding() -> Iterator[str]:
    """Every column of every row, whoever says what it holds."""
    with scopes_disabled():
        for model in apps.get_models():
            for field in model._meta.concrete_fields:
                for (value,) in model._base_manager.values_list(field.name):
                    if CUSTOMERS in json.dumps(value, default=str).casefold():
                        yield f"{model._meta.label}.{field.name}"


@pytest.mark.parametrize(
    ("text", "others", "found"),
    [
        ("I weigh 62 kilos.", [], {"weigh", "kilos", "weigh 62", "62 kilos"}),
        ("I weigh 62 kilos.", ["A bag may weigh 20 kilos."], {"weigh 62", "62 kilos"}),
        ("My sister Priya lives in Leeds.", ["Priya likes tea."], {"sister", "lives", "Leeds"}),
        ("Born on 2026-11-23.", [], {"Born"}),
        ("The pin is 90210.", [], {"90210"}),
        ("Rex is ill.", [], set()),
    ],
)
def test_names_say_of_a_text_what_nothing_else_says(
    text: str, others: list[str], found: set[str]
) -> None:
    assert found <= {*names_of([text], others)}
    words = {word for word in names_of([text], others) if " " not in word}
    assert words == {word for word in found if " " not in word}


def test_no_name_holds_the_words_of_what_was_erased(world: World) -> None:
    living = named(world)
    assert len(set(holding()) & {*COLUMNS}) >= 22
    erased(hide(living).requests[CUSTOMERS])
    assert set(holding()) == set()
    receipt = Receipt.objects.get(owner_label=str(world.customer.pk))
    assert receipt.remaining == 0
    assert verify(world.team.pk, stands=True).ok


def test_of_the_teams_own_events_no_label_goes(world: World) -> None:
    """Whose names share a word with what is forgotten in shared memory."""
    living = named(world)
    create_integration(team=world.team, name=f"{SHARED} bot", by=SYSTEM)
    team_events = Label.objects.filter(event__agent_id=None, salt__isnull=False).exclude(text="")
    before = team_events.count()
    erased(hide(living).requests[SHARED])
    assert team_events.count() == before


@pytest.mark.parametrize(
    "text", ["I have a bad memory.", "My favourite food is sushi.", "My user name is bob12."]
)
def test_words_that_name_many_things_are_nobodys(text: str) -> None:
    found = {*names_of([text], ["Something else."])}
    assert found.isdisjoint({"memory", "food", "user"})


def test_a_file_with_a_neutral_name_is_where_it_was(world: World) -> None:
    erased(hide(named(world)).requests[CUSTOMERS])
    with scope(team=world.team):
        file = File.objects.get(owner=world.customer, raw_content__contains="kettle is old")
        assert file.path.startswith("structured/forgotten-")
        assert file.path.endswith("/notes.md")
        assert file.raw_content.startswith("# Forgotten\n")
        assert set(file.revisions.values_list("path", flat=True)) == {file.path}
        assert set(file.facts.values_list("path", flat=True)) == {file.path}
        found = search(Reader(world.agent, world.customer), "green kettle").hits
        assert {hit.file.path for hit in found if hit.file} >= {file.path}
        event = Event.objects.get(action="file.renamed", target_id=str(file.pk))
        assert not event.labels.exists()


def test_a_name_goes_where_nothing_else_of_the_row_has_it(world: World) -> None:
    living = planted(world)
    with scopes_disabled():
        open_glass(owner=world.customer, user=world.alice, reason=NAME, by=SYSTEM)
        Candidate.objects.filter(report__run__owner=world.customer).update(
            text="Tea.", path="MEMORY.md", sources=[{"path": f"structured/{CUSTOMERS}.md"}]
        )
        first = Message.objects.filter(conversation__owner=world.customer).earliest("position")
        Message.objects.filter(pk=first.pk).update(raw_content="Hm.", tools_used=[f"a.{CUSTOMERS}"])
    erased(hide(living).requests[CUSTOMERS])
    assert set(holding()) == set()


@pytest.mark.slow
def test_an_undo_leaves_every_name(world: World) -> None:
    living = named(world)
    before = set(holding())
    request = hide(living).requests[CUSTOMERS]
    with write_transaction(world.team) as tx:
        undo(tx, request)
    engine.tick(timezone.now() + timedelta(hours=1))
    assert set(holding()) == before


@pytest.mark.slow
def test_a_name_that_is_given_while_it_is_hidden_goes_too(world: World) -> None:
    request = hide(planted(world)).requests[CUSTOMERS]
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "structured/plan.md")
        file = write.write(tx, place, "- The kettle is green.\n", writer=person).file
        write.rename(tx, file, f"structured/{CUSTOMERS}.md", writer=person)
    erased(request)
    assert set(holding()) == set()


@pytest.mark.slow
def test_what_another_statement_names_keeps_its_name(world: World) -> None:
    living = planted(world)
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, f"structured/{CUSTOMERS}.md")
        write.write(tx, place, f"- A {CUSTOMERS} is a bird.\n", writer=person)
    erased(hide(living).requests[CUSTOMERS])
    with scope(team=world.team):
        assert File.objects.filter(owner=world.customer, path=place.path).exists()


def test_who_somebody_is_stays_and_is_told(world: World) -> None:
    living = planted(world)
    Owner.objects.filter(pk=world.customer.pk).update(external_id=f"c-{CUSTOMERS}")
    erased(hide(living).requests[CUSTOMERS])
    receipt = Receipt.objects.get(owner_label=str(world.customer.pk))
    assert (receipt.remaining, receipt.counts["identity"]) == (1, 1)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_no_byte_of_a_name_is_left(world: World) -> None:
    erased(hide(named(world)).requests[CUSTOMERS])
    if connection.vendor == "sqlite":
        name = Path(settings.DATABASES["default"]["NAME"])
        for path in (name, Path(f"{name}-wal")):
            data = path.read_bytes().lower() if path.exists() else b""
            assert CUSTOMERS.encode() not in data, path
