"""Who may write what: the whole table, and that every door asks it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from memoryweb.accounts.models import Integration, User
from memoryweb.markdown.file_kinds import KINDS, NOTE, OTHER, FileKind, WritingKind
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.writing import matrix, write
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from tests.tables import every_row
from tests.world import World

# path → person, system, agent, integration, extraction, dream
TRUTH = {
    "AGENTS.md": "++----",
    "SOUL.md": "++----",
    "PROFILE.md": "++++++",
    "MEMORY.md": "++++++",
    "memory_summary.md": "++++++",
    "KNOWLEDGE.md": "++++--",
    "structured/people.md": "++++--",
    "memory/2026-11-20.md": "+++++-",
    "skills/tea/SKILL.md": "++++-+",
    "DREAMS.md": "++---+",
    "memory/dreams/2026-11.md": "++---+",
    "HISTORY.md": "++--+-",
    "HISTORY-2026-11.md": "++--+-",
    "letters/to-bob.md": "++++--",
    "deleted/x.md": "++++--",
}
PROGRAM = Integration(name="helpdesk")
WRITERS = (
    Writer(AuthorKind.PERSON),
    Writer(AuthorKind.SYSTEM),
    Writer(AuthorKind.AGENT),
    Writer(AuthorKind.AGENT, integration=PROGRAM),
    Writer(AuthorKind.EXTRACTION),
    Writer(AuthorKind.DREAM),
)
IMPORTERS = {
    Writer(AuthorKind.IMPORT, user=User(name="Alice")): WRITERS[0],
    Writer(AuthorKind.IMPORT): WRITERS[1],
    Writer(AuthorKind.IMPORT, integration=PROGRAM): WRITERS[3],
}
CASES = [
    (path, writer, mark == "+")
    for path, marks in TRUTH.items()
    for writer, mark in zip(WRITERS, marks, strict=True)
]


@every_row(CASES)
def test_the_table(path: str, writer: Writer, may: bool) -> None:
    assert matrix.allows(writer, path) is may


@every_row(TRUTH)
def test_an_import_may_do_what_whoever_brings_it_may_do(path: str) -> None:
    for importer, by_hand in IMPORTERS.items():
        may = matrix.allows(importer, path)
        assert may is matrix.allows(by_hand, path), importer.behind


@pytest.mark.parametrize("kind", [AuthorKind.DREAM, AuthorKind.EXTRACTION])
def test_what_a_person_took_up_may_change_the_instructions(kind: AuthorKind) -> None:
    assert matrix.allows(Writer(kind, user=User(name="Alice"), is_approved=True), "SOUL.md")
    assert not matrix.allows(Writer(kind, is_approved=True), "letters/x.md")


def test_an_agent_s_tool_is_no_approval_by_the_person_behind_its_token() -> None:
    assert not matrix.allows(Writer(AuthorKind.AGENT, user=User(name="Alice")), "SOUL.md")


@pytest.mark.parametrize("path", ["agents.md", "Soul.MD", "dreams.md", "history-2026-11.md"])
def test_another_case_is_no_way_around(path: str) -> None:
    assert not matrix.allows(Writer(AuthorKind.AGENT), path)


def test_global_memory_is_for_superusers(world: World) -> None:
    world.agent.is_global = True
    place = Place(world.agent, None, "MEMORY.md")
    with pytest.raises(WriteRefused, match="superuser"):
        matrix.check(Writer(AuthorKind.PERSON, user=world.alice), place)
    for kind in (AuthorKind.AGENT, AuthorKind.DREAM, AuthorKind.EXTRACTION, AuthorKind.IMPORT):
        with pytest.raises(WriteRefused, match="superuser"):
            matrix.check(Writer(kind), place)
    world.alice.is_superuser = True
    matrix.check(Writer(AuthorKind.PERSON, user=world.alice), place)


def _write(tx: Transaction, file: File, writer: Writer) -> object:
    return write.write(tx, Place(file.agent, None, file.path), "new\n", writer=writer)


def _append(tx: Transaction, file: File, writer: Writer) -> object:
    place = Place(file.agent, None, file.path)
    return write.append(tx, place, [NewLine("- new")], writer=writer)


def _delete(tx: Transaction, file: File, writer: Writer) -> object:
    return write.delete(tx, file, writer=writer)


def _restore(tx: Transaction, file: File, writer: Writer) -> object:
    return write.restore(tx, file, 1, writer=writer)


def _rename(tx: Transaction, file: File, writer: Writer) -> object:
    return write.rename(tx, file, "letters/soul.md", writer=writer)


def _rename_to(tx: Transaction, file: File, writer: Writer) -> object:
    memory = File.objects.get(agent=file.agent, path="MEMORY.md", owner=None)
    File.objects.filter(pk=file.pk).update(path="x.md", folded_path="x.md")
    return write.rename(tx, memory, "SOUL.md", writer=writer)


@pytest.mark.parametrize("act", [_write, _append, _delete, _restore, _rename, _rename_to])
def test_every_door_asks_before_anything_is_written(
    world: World, act: Callable[[Transaction, File, Writer], object]
) -> None:
    soul = File.objects.get(agent=world.agent, path="SOUL.md", owner=None)
    with write_transaction(world.team) as tx:
        person = Writer(AuthorKind.PERSON, user=world.alice)
        write.write(tx, Place(world.agent, None, "SOUL.md"), "two\n", writer=person)
    before = Revision.objects.count()
    with pytest.raises(WriteRefused), write_transaction(world.team) as tx:
        act(tx, soul, Writer(AuthorKind.AGENT))
    assert Revision.objects.count() == before


def test_a_machine_arranges_nothing() -> None:
    for writer in WRITERS[:2]:
        matrix.check_arranging(writer)
    for writer in WRITERS[2:]:
        with pytest.raises(WriteRefused):
            matrix.check_arranging(writer)


def test_a_run_s_own_write_is_not_taken_for_an_approved_one(world: World) -> None:
    run = Run(agent=world.agent, team=world.team, kind=Run.Kind.DREAM)
    assert not matrix.allows(Writer(AuthorKind.DREAM, run=run), "AGENTS.md")


def test_the_documentation_prints_the_same_table() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text(encoding="utf-8")
    assert _as_markdown() in page


def _as_markdown() -> str:
    authors = [kind for kind in AuthorKind if kind is not AuthorKind.IMPORT]
    rows = ["| file | " + " | ".join(authors) + " |", "|---" * (len(authors) + 1) + "|"]
    for written in WritingKind:
        names = [_shown(kind) for kind in KINDS if kind.written is written]
        cells = [_cell(author, written) for author in authors]
        rows.append(f"| {', '.join(names)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _shown(kind: FileKind) -> str:
    if kind in {NOTE, OTHER}:
        return "daily notes" if kind is NOTE else "other files"
    return kind.name.replace("-**", "-YYYY-MM.md").replace("**", "")


def _cell(author: AuthorKind, written: WritingKind) -> str:
    if written in author.writes:
        return "yes"
    return "proposes" if author.is_run and written in matrix.APPROVED else "no"
