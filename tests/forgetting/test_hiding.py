"""What was asked to be forgotten is given to nobody, at once, and comes back when it is undone."""

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django_scopes import scope

from memoryweb.agents.models import Reader
from memoryweb.dreaming import inputs
from memoryweb.extraction.pipeline import _window
from memoryweb.memory.forgetting.hiding import NothingToUndo, undo
from memoryweb.memory.models import AuthorKind, Fact, File, ForgetRequest
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.my_memory import actions as mine
from memoryweb.memory.prompt.context import build
from memoryweb.memory.search.engine import search
from memoryweb.memory.snapshots import service
from memoryweb.memory.tools import files
from memoryweb.memory.tools.files import Acting
from memoryweb.runs.models import Run
from tests.forgetting.asking import hidden, lived
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]
DAY = datetime(2026, 3, 2, 2, tzinfo=UTC)


@pytest.fixture
def fact(world: World) -> Fact:
    return lived(world, world.customer)


def _acting(world: World) -> Acting:
    return Acting(Reader(world.agent, world.customer), now=DAY)


def _prompt(world: World) -> str:
    talk = world.agent.conversations.get()
    context = build(Reader(world.agent, world.customer), "How heavy is 62?", conversation=talk)
    told = [turn.content for turn in context.messages][:-1]
    return context.system + "".join(told)


def _found(world: World, query: str) -> str:
    return "".join(hit.text for hit in search(Reader(world.agent, world.customer), query).hits)


def _dream(world: World) -> str:
    run = Run(
        team=world.team, agent=world.agent, owner=world.customer, kind=Run.Kind.DREAM, clock=DAY
    )
    read = inputs.read(run)
    living = [one.text for one in read.material.living if not one.is_flagged]
    said = [one.text for one in read.material.said]
    given = [
        line
        for note in (*read.notes, read.memory)
        for n, line in enumerate(note.content.split("\n"), 1)
        if n not in note.hidden
    ]
    return " ".join([*living, *said, *given, *(one.text for one in read.mentions)])


def _extracted(world: World) -> str:
    window = _window(world.agent.conversations.get(), None)
    return " ".join(window.texts.values()) if window else ""


def _snapshot(world: World) -> str:
    with write_transaction(world.team) as tx:
        made = service.export(tx, Memory(world.agent, world.customer))
    return _unzipped(made.archive)


def _everything(world: World) -> str:
    return _unzipped(b"".join(mine.export(world.team, [world.customer], {})))


def _unzipped(archive: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return "".join(opened.read(name).decode() for name in opened.namelist())


def _read(world: World) -> str:
    acting = _acting(world)
    texts = [files.read_file(acting, name)[1] for name in ("MEMORY.md", "memory/2026-03-01.md")]
    lines = [line.snippet for line in files.memory_search(acting, "kilos")]
    return " ".join([*texts, *lines, files.memory_get(acting, "2026-03-01")[1]])


@pytest.mark.parametrize(
    "given",
    [
        _prompt,
        lambda world: _found(world, "weigh kilos tea"),
        lambda world: _found(world, f"weigh kilos tea at:{datetime.now(UTC):%Y-%m-%d}"),
        _read,
        _dream,
        _extracted,
        _snapshot,
        _everything,
    ],
    ids=["prompt", "search", "past", "tools", "dream", "extraction", "snapshot", "export"],
)
def test_it_is_given_to_nobody_until_it_is_undone(
    world: World, fact: Fact, given: Callable[[World], str]
) -> None:
    with scope(team=world.team):
        assert "62 kilos" in given(world)
        request = hidden(world, fact)
        told = given(world)
        assert "62 kilos" not in told
        assert "tea" in told
        with write_transaction(world.team) as tx:
            undo(tx, request)
        assert "62 kilos" in given(world)


def test_a_second_undo_is_refused(world: World, fact: Fact) -> None:
    request = hidden(world, fact)
    with write_transaction(world.team) as tx:
        undo(tx, request)
    with pytest.raises(NothingToUndo), write_transaction(world.team) as tx:
        undo(tx, request)
    request.refresh_from_db()
    assert (request.state, request.erase_at) == (ForgetRequest.State.UNDONE, None)


def test_a_program_that_writes_the_file_loses_nothing_of_what_can_be_undone(
    world: World, fact: Fact
) -> None:
    request = hidden(world, fact)
    acting = _acting(world)
    _file, text = files.read_file(acting, "MEMORY.md")
    writer = Writer(AuthorKind.AGENT, integration=world.integration)
    with write_transaction(world.team) as tx:
        files.write_file(tx, acting, "MEMORY.md", f"{text}- I like rain.\n", writer=writer)
        undo(tx, request)
    assert fact.raw_text in File.objects.get(path="MEMORY.md", owner=world.customer).raw_content


def test_what_the_dream_read_before_it_was_hidden_is_read_again(world: World, fact: Fact) -> None:
    with scope(team=world.team):
        run = Run(
            team=world.team, agent=world.agent, owner=world.customer, kind=Run.Kind.DREAM, clock=DAY
        )
        read = inputs.read(run)
        assert not inputs.has_changed(run, read)
        hidden(world, fact)
        assert inputs.has_changed(run, read)
