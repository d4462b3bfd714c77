"""The index follows the passages by itself, and says so when it can't."""

import pytest
from django.core.management import call_command
from django.db import connection

from memoryweb.agents.models import Reader
from memoryweb.memory.index import fulltext
from memoryweb.memory.models import AuthorKind, Passage
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.writing.write import write
from tests.world import World

pytestmark = pytest.mark.databases


def save(world: World, text: str) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "KNOWLEDGE.md")
        write(tx, place, text, writer=Writer(AuthorKind.PERSON))


def total(world: World) -> int:
    return search(Reader(world.agent), "lighthouse").total


@pytest.mark.django_db
def test_rows_that_change_behind_the_doors_are_followed(world: World) -> None:
    save(world, "- The lighthouse is red.")
    row = Passage.objects.get(file__path="KNOWLEDGE.md")
    Passage.objects.filter(pk=row.pk).update(
        raw_tokens=row.raw_tokens.replace("lighthous", "tower")
    )
    assert total(world) == 0
    Passage.objects.filter(pk=row.pk).update(raw_tokens=row.raw_tokens)
    assert (total(world), fulltext.is_sound()) == (1, True)


@pytest.mark.django_db
def test_the_check_names_what_is_missing_and_create_fills_it_again(world: World) -> None:
    save(world, "- The lighthouse is red.")
    connection.check_constraints()  # PostgreSQL alters no table while some are still to check
    fulltext.drop()
    assert {error.id for error in fulltext.check(["default"])} == {"recall.E001"}
    fulltext.create()
    assert fulltext.check(["default"]) == []
    assert (total(world), fulltext.is_sound()) == (1, True)


@pytest.mark.django_db
def test_emptying_the_table_empties_the_index(world: World) -> None:
    save(world, "- The lighthouse is red.")
    Passage.objects.all()._raw_delete("default")
    assert (total(world), fulltext.is_sound()) == (0, True)


@pytest.mark.django_db
def test_migrate_leaves_an_index_that_is_there_alone(world: World) -> None:
    save(world, "- The lighthouse is red.")
    call_command("migrate", verbosity=0, interactive=False)
    assert (total(world), fulltext.is_sound()) == (1, True)
