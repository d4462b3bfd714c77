"""Roots of lines that were written before lines had any: an upgrade finds the same ones."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.db.models import Min, Model

from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import File, LineOrigin, PastOrigin, Proposal
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing import proposing, write
from memoryweb.memory.writing.write import NewLine, Place, Writer
from memoryweb.runs.models import Run
from tests.world import World

NOTE, MEMORY = "memory/2026-11-20.md", "MEMORY.md"


def _place(world: World, path: str) -> Place:
    return Place(world.agent, world.customer, path)


def _noted(world: World) -> File:
    """Three messages; the second line of the note stands on two of them, the third on none."""
    messages = [NewMessage(role="user", content=text) for text in ("Tea.", "Acme.", "Acme!")]
    with write_transaction(world.team) as work:
        talk = add_messages(
            work,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c",
            messages=messages,
        ).conversation
        tea, *acme = (Source(message_id=one.pk) for one in talk.messages.order_by("position"))
        lines = [NewLine("- Tea.", Origin((tea,))), NewLine("- Acme.", Origin(tuple(acme)))]
        writer = Writer(AuthorKind.EXTRACTION, conversation_id=talk.pk, is_vouched=True)
        write.append(work, _place(world, NOTE), lines, writer=writer)
        agent = Writer(AuthorKind.AGENT)
        return write.append(work, _place(world, NOTE), [NewLine("- Cake.")], writer=agent).file


def _dreamt(world: World, note: File) -> File:
    origins = {n: Origin((Source(note.pk, note.revision, n + 2),)) for n in (1, 2, 3)}
    with write_transaction(world.team) as work:
        return write.write(
            work,
            _place(world, MEMORY),
            "- Tea.\n- Acme.\n- Cake.\n",
            writer=Writer(AuthorKind.DREAM, is_vouched=True),
            origins=origins,
        ).file


def _proposed(world: World, note: File, memory: File) -> Proposal:
    run = Run.objects.create(
        team=world.team,
        agent=world.agent,
        owner=world.customer,
        kind=Run.Kind.DREAM,
        trigger=Run.Trigger.CRON,
    )
    origins = {4: Origin((Source(note.pk, note.revision, 4),))}
    text = memory.content + "- More Acme.\n"
    with write_transaction(world.team) as work:
        return proposing.propose(
            work, run=run, file=memory, content=text, origins=origins, broken=[]
        )


def _edited(world: World, path: str, text: str) -> None:
    with write_transaction(world.team) as work:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write.write(work, _place(world, path), text, writer=writer)


def _roots() -> list[tuple[Any, ...]]:
    names = ("file__path", "line", "source_line", "message", "root")
    living = [("now", *row) for row in LineOrigin.objects.values_list(*names)]
    gone = [("gone", *row) for row in PastOrigin.objects.values_list(*names)]
    return sorted([*living, *gone], key=str)


def _as_before() -> None:
    """Rows as an earlier version wrote them: one a source line, and no roots."""
    for model in (LineOrigin, PastOrigin):
        derived = model._default_manager.exclude(source_file=None)
        firsts = derived.values("file", "line", "source_line").annotate(first=Min("pk"))
        derived.exclude(pk__in=list(firsts.values_list("first", flat=True))).delete()
        derived.update(message=None)
        model._default_manager.update(root=None)
    for proposal in Proposal.objects.all():
        for origin in proposal.origins.values():
            file_id, number, line, *_root = origin["sources"][0]
            origin["sources"] = [[file_id, number, line, None]]
        proposal.save()


class _Then:
    """The models by the rooms that they had when the migration was written."""

    def get_model(self, _room: str, name: str) -> type[Model]:
        return next(model for model in apps.get_models() if model.__name__ == name)


def test_an_upgrade_finds_the_roots_of_what_an_earlier_version_wrote(world: World) -> None:
    note = _noted(world)
    memory = _dreamt(world, note)
    proposal = _proposed(world, note, memory)
    _edited(world, NOTE, "# 2026-11-20\n\n- Acme is bad.\n- Cake.\n")
    _edited(world, MEMORY, "- Acme.\n- Cake.\n")
    roots, waiting = _roots(), proposal.origins
    _as_before()
    import_module("memoryweb.workspace.migrations.0011_fill_line_roots").fill(_Then(), None)
    proposal.refresh_from_db()
    assert _roots() == roots
    assert proposal.origins == waiting
