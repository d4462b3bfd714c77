"""A word in every place that a memory has, forgotten: then not a byte of it is left."""

import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_scopes import scope, scopes_disabled

from memoryweb.agents.models import Reader
from memoryweb.api.models import Idempotency
from memoryweb.audit.verify import verify
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.extraction.models import Extraction
from memoryweb.memory import entries
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import finding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.index import fulltext, sqlite
from memoryweb.memory.index.recalls import RecalledLine, count
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import (
    AuthorKind,
    File,
    ForgetRequest,
    Passage,
    Proposal,
    RecallEvent,
    Receipt,
    Revision,
)
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.search.engine import search
from memoryweb.memory.snapshots import service
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.embeddings import answered, by_hash, enable, make
from tests.fakes import ModelServer
from tests.forgetting.answers import answers
from tests.snapshots.archives import of
from tests.world import World, integration_token

pytestmark = [pytest.mark.databases, pytest.mark.django_db(transaction=True)]
CANARY = "quetzalcoatlus4711"
LINE = f"My code word is {CANARY} – “not for others”."
ARCHIVE = {"MEMORY.md": f"# Memory\n\n- {LINE}\n- I like tea.\n"}
TALK = [
    NewMessage("user", f"{LINE} And I like tea.", "m-1", timestamp=timezone.now()),
    NewMessage("assistant", f"Noted: {CANARY.upper()}! Tea it is.", "m-2"),
    NewMessage("user", f"As I said, the word ({CANARY}) is what opens it.", f"m-{CANARY}"),
]


def _talk(world: World, name: str) -> list[int]:
    with write_transaction(world.team) as tx:
        added = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id=name,
            messages=TALK,
        )
        return list(added.conversation.messages.values_list("pk", flat=True))


def _wrote(world: World, message: int) -> File:
    origin = Origin((Source(message_id=message),))
    person = Writer(AuthorKind.PERSON, user=world.bob)
    with write_transaction(world.team) as tx:
        for text in (ARCHIVE["MEMORY.md"], f"# Memory\n\n- I like tea.\n- {LINE}\n"):
            place = Place(world.agent, world.customer, "MEMORY.md")
            written = write.write(
                tx, place, text, writer=person, reason=f"about {CANARY}", origins={3: origin}
            )
        note = Place(world.agent, world.customer, "memory/2026-03-01.md")
        extraction = Writer(AuthorKind.EXTRACTION)
        for said in (f"- 08:00 {LINE}", "- 08:01 I like tea."):
            write.append(tx, note, [NewLine(said, origin)], writer=extraction)
        named = Place(world.agent, world.customer, f"structured/{CANARY}.md")
        write.write(tx, named, "- colour: blue\n", writer=person)
        gone = Place(world.agent, world.customer, "KNOWLEDGE.md")
        file = write.write(tx, gone, f"- {LINE}\n", writer=person).file
        write.delete(tx, file, writer=person)
        agent, owner = world.agent, world.customer
        told = [f"the {CANARY}", f"{CANARY.title()} again"]
        entries.add(
            tx, Memory(agent, owner), "first", f"Notes.\n\n{LINE}\n", writer=person, aliases=told
        )
        entries.add(
            tx, Memory(agent, owner), f"on {CANARY}", "Tea.", writer=person, aliases=["tea time"]
        )
        entries.archive(tx, Memory(agent, owner), f"We spoke.\n\n{LINE}\n", writer=extraction)
        entries.append_history(tx, Memory(agent, owner), f"Said then: {LINE}", writer=extraction)
        machine = Writer(AuthorKind.AGENT)
        _came_and_went(tx, Place(world.agent, world.customer, "structured/plans.md"), machine)
        masked = Place(world.agent, world.customer, "PROFILE.md")
        write.write(tx, masked, f"- wifi password={CANARY}X\n", writer=machine)
    return written.file


def _came_and_went(tx: Transaction, place: Place, machine: Writer) -> None:
    """In revisions that are kept as what came and went; it stands in the whole text before, too."""
    plans = [f"- Plan {n} is for the autumn." for n in range(30)]
    said = f"- {LINE}"
    for lines in (
        [*plans, said],
        [*plans, said, "- One more."],
        [said, *plans],
        plans,
        [*plans[:9], f"{said} Still.", *plans[9:]],
        [*plans[:8], f"{said} Still.", *plans[9:]],
        [*plans[:8], said, *plans[10:]],
    ):
        file = write.write(tx, place, "".join(f"{one}\n" for one in lines), writer=machine).file
    told = Revision.objects.filter(file=file, edits__isnull=False)
    assert told.count() == 6
    assert told.filter(raw_text__contains=CANARY).count() == 3


def _dreamt(world: World, file: File) -> None:
    whose = {"team": world.team, "agent": world.agent, "owner": world.customer}
    run = Run.objects.create(
        **whose,
        kind="dream",
        status="succeeded",
        trigger="person",
        topic=CANARY,
        answer={"parts": [{"reason": LINE, "operations": [{"text": LINE}]}]},
        result={"told": [LINE]},
        error=f"no {LINE}",
    )
    report = Report.objects.create(
        **whose, run=run, diary=f"- Added: {LINE}\n", dreamt_at=timezone.now()
    )
    Operation.objects.create(
        team=world.team, report=report, position=1, does="add", after=LINE, before=[LINE]
    )
    Candidate.objects.create(
        team=world.team,
        report=report,
        key="k" * 64,
        text=LINE,
        file=file,
        path=file.path,
        line=3,
        score=1,
        verdict="promoted",
    )
    Proposal.objects.create(
        team=world.team, file=file, run=run, base_revision=1, raw_content=f"- {LINE}\n"
    )
    talk = world.agent.conversations.earliest("created_at")
    Extraction.objects.create(
        team=world.team,
        conversation=talk,
        run=run,
        first=1,
        last=3,
        status="applied",
        extractor="model",
        answer={"lines": [{"text": f"Their word: {CANARY}"}]},
        reason=LINE,
    )


def _asked_and_looked(world: World, file: File) -> None:
    reader = Reader(world.agent, world.customer)
    search(reader, CANARY)
    talk = world.agent.conversations.earliest("created_at")
    given = [RecalledLine(file.pk, LINE)]
    count(reader, talk.pk, CANARY, given, via=RecallEvent.Via.SEARCH, at=timezone.now())
    integration_token(world.integration)
    token = world.integration.tokens.latest("created_at")
    body = json.dumps({"facts": [LINE]})
    Idempotency.objects.create(team=world.team, token=token, key="k", status=200, body=body)
    with write_transaction(world.team) as tx:
        service.keep(tx, Memory(world.agent, world.customer), of(ARCHIVE), user=world.bob)


@pytest.fixture
def planted(world: World) -> World:
    messages = _talk(world, "talk")
    _talk(world, f"about {CANARY}")
    with scope(team=world.team):
        file = _wrote(world, messages[0])
        _dreamt(world, file)
        _asked_and_looked(world, file)
    return world


def _hidden(world: World) -> ForgetRequest:
    with write_transaction(world.team) as tx:
        found = finding.of_text(Memory(world.agent, world.customer), CANARY)
        request = open_request(
            tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API, CANARY)
        )
        hide(tx, request, found.meant, seconds=0)
    return request


def _erased(request: ForgetRequest) -> None:
    engine.tick(timezone.now() + timedelta(seconds=1))
    runs = [run for run in engine.run_pending() if run.kind == Run.Kind.ERASURE]
    assert [run.error for run in runs] == [""]
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.ERASED


def _rows() -> Iterator[str]:
    with scopes_disabled():
        for model in apps.get_models(include_auto_created=True):
            for row in model._base_manager.values_list():
                yield f"{model._meta.label} {row!r}"


def _exported(world: World) -> str:
    with write_transaction(world.team) as tx:
        archive = service.export(tx, Memory(world.agent, world.customer)).archive
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return "".join(opened.read(name).decode() for name in opened.namelist())


@pytest.mark.slow  # tests/walls/test_forgotten.py asks more of what is hidden
def test_no_answer_has_what_is_to_be_forgotten(planted: World) -> None:
    _hidden(planted)
    assert [asked for asked, answer in answers(planted) if "not for others" in answer] == []


def test_no_answer_has_what_is_forgotten(planted: World) -> None:
    assert any(LINE in answer for _asked, answer in answers(planted))
    _erased(_hidden(planted))
    assert [asked for asked, answer in answers(planted) if _has(answer)] == []


def _has(text: str) -> bool:
    return CANARY in text.casefold()


def test_no_row_no_byte_and_no_export_has_it_and_it_does_not_come_back(
    planted: World, caplog: pytest.LogCaptureFixture
) -> None:
    world = planted
    request = _hidden(world)
    _erased(request)
    assert [row for row in _rows() if _has(row)] == []
    assert Receipt.objects.get(request=request).remaining == 0
    assert fulltext.is_sound()
    assert verify(world.team.pk).ok
    if connection.vendor == "sqlite":
        name = Path(settings.DATABASES["default"]["NAME"])
        for path in (name, Path(f"{name}-wal")):
            data = path.read_bytes().lower() if path.exists() else b""
            assert CANARY.encode() not in data, path
            assert CANARY.encode()[2:] not in data, path

    with scope(team=world.team):
        assert "tea" in File.objects.get(path="MEMORY.md", owner=world.customer).raw_content
        person = Writer(AuthorKind.PERSON, user=world.bob)
        archive = of(ARCHIVE)
        with write_transaction(world.team) as tx:
            shown = service.preview(Memory(world.agent, world.customer), archive, by=person)
            service.apply(tx, Memory(world.agent, world.customer), archive, shown.token, by=person)
            for file in File.objects.filter(owner=world.customer).select_related("agent", "owner"):
                for number in Revision.objects.filter(file=file).values_list("number", flat=True):
                    write.restore(tx, file, number, writer=person)
        old = [NewMessage(m.role, m.content, m.id, timestamp=m.timestamp) for m in TALK]
        with write_transaction(world.team) as tx:
            for talk in ("talk", "replayed"):
                add_messages(
                    tx,
                    agent=world.agent,
                    owner=world.customer,
                    conversation_id=talk,
                    messages=old,
                )
        assert [row for row in _rows() if LINE in row] == []
        assert not _has(_exported(world))
    logged = [one.getMessage() for at in ("setup", "call") for one in caplog.get_records(at)]
    assert not _has("\n".join(logged))


def test_no_byte_of_a_vector_is_left(planted: World, embeddings: ModelServer) -> None:
    embeddings.default = answered(by_hash)
    enable(planted.team)
    make()
    with scopes_disabled():
        found = [row for row in Passage.objects.exclude(vector=None) if _has(row.said)]
    rows = [bytes(row.vector or b"") for row in found]
    pieces = {row[at : at + 16] for row in rows for at in range(0, len(row), 16)}
    assert len(rows) > 5
    assert _stand(pieces)
    _erased(_hidden(planted))
    assert _stand(pieces) == set()
    with scopes_disabled():
        assert Passage.objects.exclude(vector=None).exists()


def _stand(pieces: set[bytes]) -> set[bytes]:
    """Those that the database holds; on PostgreSQL its rows."""
    if connection.vendor == "sqlite":
        name = Path(settings.DATABASES["default"]["NAME"])
        files = (name, Path(f"{name}-wal"))
        data = b"".join(path.read_bytes() for path in files if path.exists())
    else:
        with scopes_disabled():
            kept = Passage.objects.exclude(vector=None)
            data = b"".join(bytes(row.vector or b"") for row in kept)
    return {piece for piece in pieces if piece in data}


def test_others_write_between_the_steps_of_a_merge(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PAGES", 5)
    said = [
        NewMessage("user", f"Number {n} grows {n % 97} roses and {n % 89} herbs.")
        for n in range(400)
    ]
    for talk in range(3):
        _say(world, f"before {talk}", said)
    begun: bool | None = False
    while begun is not None:
        begun = fulltext.merge(begun=begun)
        _say(world, "meanwhile", [NewMessage("user", "It rains again."), *said[:40]])
    assert fulltext.is_sound()


def _say(world: World, talk: str, said: list[NewMessage]) -> None:
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id=talk,
            messages=said,
        )
