from collections.abc import Callable
from typing import Any

import pytest

from memoryweb.agents.models import Owner, Reader
from memoryweb.audit.models import Event
from memoryweb.memory import entries
from memoryweb.memory.entries import EntryRefused
from memoryweb.memory.models import Alias, AuthorKind, Entry, File
from memoryweb.memory.models.refusals import ContentRefused, PathRefused, SecretRefused
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.writing import write
from memoryweb.memory.writing.matrix import WriteRefused
from tests.world import World

pytestmark = pytest.mark.databases

AGENT = Writer(AuthorKind.AGENT)


def test_an_entry_is_found_by_number_name_and_other_names(world: World) -> None:
    made = _add(world, "Sourdough starter", "Feed it at seven.", aliases=["levain", "Ludwig"])
    for asked in ("1", "sourdough STARTER", "Levain", "ludwig"):
        assert _find(world, asked) == made
    assert _find(world, "2") is _find(world, "rye") is None


def test_numbers_count_up_in_each_memory_and_none_is_given_twice(world: World) -> None:
    first, second = _add(world, "one", "x"), _add(world, "two", "x")
    own = _add(world, "one", "y", owner=world.customer)
    _do(world, entries.remove, second)
    again = _add(world, "two", "z")
    assert [one.number for one in (first, second, own, again)] == [1, 2, 1, 3]
    assert _find(world, "2") is None


def test_what_another_memory_calls_so_is_not_found(world: World) -> None:
    _add(world, "Ludwig", "theirs", owner=world.customer, aliases=["starter"])
    assert _find(world, "Ludwig") is _find(world, "starter") is _find(world, "1") is None


def test_no_two_names_lead_to_different_entries(world: World) -> None:
    _add(world, "Ludwig", "x", aliases=["starter"])
    other = _add(world, "Rye", "x")
    for taken in ("LUDWIG", "Starter"):
        with pytest.raises(EntryRefused, match="already leads"):
            _add(world, taken, "y")
        with pytest.raises(EntryRefused, match="already leads"):
            _do(world, entries.add_alias, other, taken)
        with pytest.raises(EntryRefused, match="already leads"):
            _do(world, entries.rename, other, taken)


def test_renamed_to_one_of_its_other_names_the_old_name_is_free(world: World) -> None:
    made = _add(world, "Ludwig", "x", aliases=["starter"])
    _do(world, entries.rename, made, "Starter")
    found = _find(world, "starter")
    assert found == made
    assert found is not None
    assert entries.name_of(found) == "Starter"
    assert not Alias.objects.exists()
    assert _add(world, "Ludwig", "another").number == 2


def test_its_name_can_change_in_case(world: World) -> None:
    _do(world, entries.rename, _add(world, "ludwig", "x"), "Ludwig")
    found = _find(world, "1")
    assert found is not None
    assert entries.name_of(found) == "Ludwig"


def test_removed_with_its_other_names_and_restored_as_a_file(world: World) -> None:
    made = _add(world, "Ludwig", "Feed it.", aliases=["starter"])
    _do(world, entries.remove, made)
    assert _find(world, "Ludwig") is _find(world, "starter") is None
    with write_transaction(world.team) as tx:
        write.restore(tx, made.file, 1, writer=AGENT)
    assert _find(world, "Ludwig") == _find(world, "1") == made


@pytest.mark.parametrize("way", ["deleted", "moved"])
def test_the_other_names_of_a_file_that_is_gone_are_free(world: World, way: str) -> None:
    made, other = _add(world, "Ludwig", "x", aliases=["starter"]), _add(world, "Rye", "x")
    with write_transaction(world.team) as tx:
        if way == "deleted":
            write.delete(tx, made.file, writer=AGENT)
        else:
            write.rename(tx, made.file, "notes.md", writer=AGENT)
    _do(world, entries.add_alias, other, "starter")
    assert _find(world, "starter") == other


def test_search_finds_name_and_text_and_no_other_name(world: World) -> None:
    _add(world, "Sourdough starter", "Feed it at seven.", aliases=["Ludwig"])
    assert _found(world, "sourdough") == _found(world, "seven") == ["entries/Sourdough starter.md"]
    assert _found(world, "Ludwig") == []
    _do(world, entries.rename, _find(world, "1"), "Levain")
    assert _found(world, "sourdough") == []
    assert _found(world, "levain") == ["entries/Levain.md"]


@pytest.mark.parametrize("name", ["", " ", "a/b", "7", "x.md", "n" * 201, "a\x07b", "a:b", ".."])
def test_names_that_could_not_be_asked_for_are_refused(world: World, name: str) -> None:
    with pytest.raises((EntryRefused, PathRefused)):
        _add(world, name, "x")
    assert not File.objects.filter(path__startswith="entries/").exists()


def test_what_no_file_may_hold_is_refused(world: World) -> None:
    with pytest.raises(EntryRefused, match="needs a text"):
        _add(world, "empty", " \n")
    with pytest.raises(ContentRefused):
        _add(world, "large", "x" * (write.MAX_BYTES + 1))
    with pytest.raises(SecretRefused):
        _add(world, "secret", "AKIA" + "QXNBTM4PLZ7RWD2K")
    with pytest.raises(PathRefused, match="secret"):
        _add(world, "AKIA" + "QXNBTM4PLZ7RWD2K", "x")


def test_at_most_twenty_other_names(world: World) -> None:
    made = _add(world, "Ludwig", "x", aliases=[f"name {number}" for number in range(20)])
    with pytest.raises(EntryRefused, match="at most 20"):
        _do(world, entries.add_alias, made, "one more")


def test_a_file_that_comes_another_way_is_an_entry_too(world: World) -> None:
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "entries/Ludwig.md")
        write.write(tx, place, "Feed it.", writer=AGENT)
    found = _find(world, "ludwig")
    assert found is not None
    assert (found.number, found.kind) == (1, Entry.Kind.NOTE)


def test_archives_of_one_minute_have_names_of_their_own(world: World) -> None:
    run = Writer(AuthorKind.EXTRACTION)
    with write_transaction(world.team) as tx:
        first = entries.archive(tx, Memory(world.agent, world.customer), "They spoke.", writer=run)
        second = entries.archive(tx, Memory(world.agent, world.customer), "And again.", writer=run)
    assert (first.kind, second.kind) == ("archive", "archive")
    assert entries.name_of(second) == f"{entries.name_of(first)} (2)"


def test_history_is_written_by_months(world: World) -> None:
    with write_transaction(world.team) as tx:
        run = Writer(AuthorKind.EXTRACTION)
        entries.append_history(tx, Memory(world.agent, world.customer), "They\nspoke.", writer=run)
    file = File.objects.get(path=f"HISTORY-{tx.now:%Y-%m}.md")
    head, said = file.raw_content.rstrip().split("\n")[-2:]
    assert head == f"## {tx.now:%Y-%m-%dT%H:%M:%SZ}"
    assert said == f"[{tx.now:%Y-%m-%d %H:%M}] They spoke."


def test_only_those_who_may_write_give_names(world: World) -> None:
    made = _add(world, "Ludwig", "x")
    dream = Writer(AuthorKind.DREAM)
    with pytest.raises(WriteRefused):
        _do(world, entries.add_alias, made, "starter", writer=dream)


def test_other_names_are_events(world: World) -> None:
    made = _add(world, "Ludwig", "x", aliases=["starter"])
    _do(world, entries.remove_alias, made, "Starter")
    events = Event.objects.filter(team_id=world.team.pk, action__startswith="entry.")
    assert [event.action for event in events.order_by("seq")] == [
        "entry.aliased",
        "entry.unaliased",
    ]


def _add(world: World, name: str, content: str, owner: Owner | None = None, **given: Any) -> Entry:
    with write_transaction(world.team) as tx:
        return entries.add(tx, Memory(world.agent, owner), name, content, writer=AGENT, **given)


def _do(world: World, what: Callable[..., Any], *given: Any, writer: Writer = AGENT) -> None:
    with write_transaction(world.team) as tx:
        what(tx, *given, writer=writer)


def _find(world: World, asked: str) -> Entry | None:
    return entries.find(Memory(world.agent, None), asked)


def _found(world: World, query: str) -> list[str]:
    hits = search(Reader(world.agent), query).hits
    return [hit.file.path for hit in hits if hit.file]


def test_a_full_month_goes_on_in_another_file(world: World) -> None:
    run = Writer(AuthorKind.EXTRACTION)
    with write_transaction(world.team) as tx:
        full = Place(world.agent, world.customer, f"HISTORY-{tx.now:%Y-%m}.md")
        write.write(tx, full, "x" * (write.MAX_BYTES - 60), writer=Writer(AuthorKind.PERSON))
        entries.append_history(tx, Memory(world.agent, world.customer), "They spoke.", writer=run)
    more = File.objects.get(path=f"HISTORY-{tx.now:%Y-%m}-2.md")
    assert more.raw_content.rstrip().endswith("They spoke.")
