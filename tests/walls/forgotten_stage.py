"""A sentence of each memory in every place that a memory has, behind the ids of all routes."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Owner, Reader
from memoryweb.agents.owners import system_owner
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.extraction.models import Extraction
from memoryweb.memory import entries, memory_tests
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import finding, hiding
from memoryweb.memory.forgetting.hiding import Wish
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation, Fact, File, ForgetRequest
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt import context, injections
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.writing import write
from memoryweb.memory.writing.proposing import propose
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.models import Run
from tests.snapshot import restored
from tests.snapshots.archives import of
from tests.walls.web_stage import Stage, still_stage
from tests.world import World

SHARED, CUSTOMERS, BOBS = "quillpiper", "quillmorant", "quillcrest"
CANARIES = (SHARED, CUSTOMERS, BOBS)
BESIDE = "The ferry leaves at five."  # said in the same message
QUESTION = "Where does the spare lantern hang?"
NIGHT = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def sentence(canary: str) -> str:
    return f"The spare lantern hangs behind the {canary}."


@dataclass(frozen=True)
class Forgotten:
    world: World
    stage: Stage
    facts: dict[str, Fact]
    requests: dict[str, ForgetRequest]


def owners_of(world: World) -> dict[str, Owner | None]:
    return {SHARED: None, CUSTOMERS: world.customer, BOBS: world.bobs_memory}


def planted(world: World) -> Forgotten:
    """Said, noted, dreamt, told, proposed, archived and given to prompts; nothing is hidden."""
    stage = still_stage(world.home, "home", colleague=world.vera)
    return restored("walls: planted", lambda: _plant(world, stage))


def forgotten(world: World) -> Forgotten:
    """All that, and asked to be forgotten."""
    return restored("walls: forgotten", lambda: hide(planted(world)))


def hide(planted: Forgotten) -> Forgotten:
    """As a person asks on a statement's page."""
    world, requests = planted.world, {}
    for canary, fact in planted.facts.items():
        with write_transaction(world.team) as tx:
            found = finding.of_facts(Memory(world.agent, fact.owner), [fact])
            request = hiding.open_request(
                tx, Wish(Memory(world.agent, fact.owner), ForgetRequest.Via.PAGE)
            )
            hiding.hide(tx, request, found.meant, candidates=found.candidates)
            requests[canary] = request
    return replace(planted, requests=requests)


def _plant(world: World, stage: Stage) -> Forgotten:
    facts: dict[str, Fact] = {}
    with scope(team=world.team):
        talks = {
            CUSTOMERS: stage.ids["conversation_id"],
            BOBS: stage.ids["my_conversation_id"],
        }
        runs = {
            SHARED: stage.ids["run_id"],
            CUSTOMERS: stage.ids["customers_run_id"],
            BOBS: stage.ids["my_run_id"],
        }
        for canary, owner in owners_of(world).items():
            name = "talk-of-all"
            if canary in talks:
                name = Conversation.objects.get(pk=talks[canary]).external_id
            message = _said(world, owner, canary, name)
            run = Run.objects.get(pk=runs[canary])
            facts[canary] = _written(world, owner, canary, message, run)
            _told(world, owner, canary, run)
            _archived(world, owner, canary, message)
            _given(world, owner, name)
    return Forgotten(world, stage.but(upload_id=_uploaded(world)), facts, {})


def _said(world: World, owner: Owner | None, canary: str, name: str) -> int:
    said = NewMessage("user", f"{sentence(canary)} {BESIDE}", f"m-{canary[:6]}", timestamp=NOON)
    echo = NewMessage("assistant", f"Noted. {sentence(canary)} Anything else?", timestamp=NOON)
    with write_transaction(world.team) as tx:
        speaker = owner or system_owner(world.team)
        talk = add_messages(
            tx, agent=world.agent, owner=speaker, conversation_id=name, messages=[said, echo]
        ).conversation
        return int(talk.messages.filter(raw_content=said.content).latest("position").pk)


def _written(world: World, owner: Owner | None, canary: str, message: int, run: Run) -> Fact:
    """By a dream, beside another sentence of the same message, between two others' saves."""
    origin = Origin((Source(message_id=message),))
    place = Place(world.agent, owner, "MEMORY.md")
    dream = Writer(AuthorKind.DREAM, run=run, is_vouched=True)
    person = Writer(AuthorKind.PERSON, user=world.alice if owner is None else world.bob)
    with write_transaction(world.team) as tx:
        note = Place(world.agent, owner, f"memory/{NIGHT}.md")
        lines = [
            NewLine(f"- 09:00 {sentence(canary)}", origin),
            NewLine(f"- 09:01 {BESIDE}", origin),
        ]
        write.append(tx, note, lines, writer=Writer(AuthorKind.EXTRACTION, is_vouched=True))
        there = write.find(place)
        stood = (there.raw_content if there else "# Memory\n").rstrip("\n") + "\n"
        first = f"{stood}- {sentence(canary)}\n- {BESIDE}\n"
        at = first.count("\n")
        origins = {at - 1: origin, at: origin}
        write.write(tx, place, first, writer=dream, origins=origins, reason=sentence(canary))
        write.write(tx, place, f"{first}- Tea is at four.\n", writer=person)
        gone = Place(world.agent, owner, "KNOWLEDGE.md")
        write.write(tx, gone, f"# Knowledge\n\n- {sentence(canary)}\n", writer=person)
        file = write.write(tx, gone, "# Knowledge\n\n- The bar is open.\n", writer=person).file
        write.delete(tx, file, writer=person)
        for path in ("DREAMS.md", "memory/dreams/2026-10.md"):
            diary = f"# Dreams\n\n## {NIGHT} 02:00\n\n- Added: {sentence(canary)}\n"
            write.write(tx, Place(world.agent, owner, path), diary, writer=dream)
        agent = Writer(AuthorKind.AGENT)
        write.write(
            tx,
            Place(world.agent, owner, "structured/lantern.md"),
            f"- lantern: {sentence(canary)}\n",
            writer=agent,
        )
        now = "- lantern: It stands on the desk.\n"  # in the place of that value
        write.write(tx, Place(world.agent, owner, "structured/lantern.md"), now, writer=agent)
    return Fact.objects.get(raw_text=sentence(canary), owner=owner, file__path="MEMORY.md")


def _told(world: World, owner: Owner | None, canary: str, run: Run) -> None:
    """In its run, its report, what waits for a person, and answers of models."""
    said = sentence(canary)
    file = File.objects.get(agent=world.agent, owner=owner, path="MEMORY.md")
    report = Report.objects.get(run=run)
    run.error, run.topic, run.result = f"No: {said}", said[:200], {"told": [said]}
    run.clock = run.finished_at = run.started_at = timezone.now()
    run.save()
    Report.objects.filter(pk=report.pk).update(
        diary=f"- Added: {said}\n- Added: {BESIDE}\n", dreamt_at=timezone.now()
    )
    last = report.operations.count()
    operations: list[dict[str, Any]] = [
        {"does": "add", "after": said},
        {"does": "replace", "before": [said], "after": "The lantern is gone."},
        {"does": "retire", "before": [said]},
        {"does": "add", "after": f"{said} It is old.", "against": said, "code": "known"},
    ]
    for n, one in enumerate(operations, last + 1):
        Operation.objects.create(team=world.team, report=report, position=n, **one)
    Candidate.objects.create(
        team=world.team,
        report=report,
        key="q" * 64,
        text=said,
        file=file,
        path=file.path,
        line=4,
        score=1,
        verdict="promoted",
    )
    with write_transaction(world.team) as tx:
        propose(
            tx,
            run=Run.objects.create(
                team=world.team,
                agent=world.agent,
                owner=owner,
                kind="dream",
                status="needs_review",
                reason="policy",
                trigger="cron",
                error=said,
                finished_at=timezone.now(),
            ),
            file=file,
            content=f"{file.raw_content}- The quay is closed.\n",
            origins={},
            broken=[],
        )
    speaker = owner or system_owner(world.team)
    talk = Conversation.objects.filter(agent=world.agent, owner=speaker).earliest("created_at")
    Extraction.objects.create(
        team=world.team,
        conversation=talk,
        run=run,
        first=1,
        last=3,
        status="applied",
        extractor="model",
        answer={"lines": [{"text": said}]},
        reason=said,
    )


def _archived(world: World, owner: Owner | None, canary: str, message: int) -> None:
    said = sentence(canary)
    person = Writer(AuthorKind.PERSON, user=world.alice)
    extraction = Writer(AuthorKind.EXTRACTION, is_vouched=True)
    with write_transaction(world.team) as tx:
        entries.add(tx, Memory(world.agent, owner), "Lantern", f"Notes.\n\n{said}\n", writer=person)
        entries.archive(tx, Memory(world.agent, owner), f"We spoke.\n\n{said}\n", writer=extraction)
        entries.append_history(tx, Memory(world.agent, owner), f"Then: {said}", writer=extraction)
        memory_tests.add(tx, Memory(world.agent, owner), "What is it?", said, writer=person)
    archive = of({"memory/2026-03-09.md": f"# 2026-03-09\n\n- {said}\n"})
    by = Writer(AuthorKind.PERSON, user=world.alice)
    token = snapshots.preview(Memory(world.agent, owner), archive, by=by).token
    with write_transaction(world.team) as tx:
        snapshots.apply(
            tx,
            Memory(world.agent, owner),
            archive,
            token,
            by=Writer(AuthorKind.IMPORT, user=world.alice),
        )


def _uploaded(world: World) -> str:
    """An archive of Bob's own memory, which he has not imported."""
    archive = of({"MEMORY.md": f"# Memory\n\n- {sentence(BOBS)}\n"})
    with write_transaction(world.team) as tx:
        memory = Memory(world.agent, world.bobs_memory)
        return str(snapshots.keep(tx, memory, archive, user=world.bob).pk)


def _given(world: World, owner: Owner | None, name: str) -> None:
    """In a prompt of that conversation, as its page and `last-prompt` tell."""
    speaker = owner or system_owner(world.team)
    talk = Conversation.objects.get(agent=world.agent, owner=speaker, external_id=name)
    with write_transaction(world.team) as tx:
        built = context.build(Reader(world.agent, owner), QUESTION, conversation=talk)
        injections.served(tx, built, conversation=talk)
