"""Notes that are past their nights and that no dream has read: a history imported at once.

They are dreamt over a week at a time, the oldest first, each by a run of its own whose clock is
the night after its last date. A week that ends asks for the next in its own transaction, and what
is left is found in the notes: wherever a worker dies, it goes on there.
"""

from datetime import date, timedelta

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner, dream_time
from memoryweb.dreaming import inputs, schedule
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Memory, Transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run

BACKFILL = Run.Trigger.BACKFILL


def owners(agent: Agent) -> list[Owner | None]:
    """Whose notes (None: the shared ones) hold what no night reads any more and no dream has."""
    whose = {note.owner_id for note in _unread(agent)}
    found: list[Owner | None] = list(
        Owner.objects.filter(pk__in=[pk for pk in whose if pk], keeping=True).order_by("created_at")
    )
    return [None, *found] if None in whose else found


def is_left(agent: Agent) -> bool:
    """Whether `owners` would be any, or only such as are paused."""
    return bool(_unread(agent))


def request(tx: Transaction, memory: Memory, user: User | None = None) -> engine.QueuedRun | None:
    """The oldest week that is left, or the active run by hand; None where nothing is left."""
    return _next(tx, memory, user)


def go_on(tx: Transaction, run: Run) -> None:
    """The next week, once one has ended."""
    if run.trigger == BACKFILL and not _is_stopped(run):
        _next(tx, Memory(run.agent, run.owner), run.user, after=run)


def stop(tx: Transaction, run: Run) -> bool:
    """After the week that it is at, which is dreamt to its end; False where nothing goes on."""
    mine = Run.objects.active().filter(pk=run.pk, trigger=BACKFILL)
    if not mine.update(result={**run.result, "stopped": True}):
        return False
    schedule.record(tx, "run.stopped", run)
    return True


def after_extraction(tx: Transaction, run: Run) -> None:
    """What was imported may have come too late for every night."""
    if not (settings.DREAMING and run.agent.dreaming):
        return
    imported = run.extractions.filter(conversation__source="import")
    places = [one for written in imported.values_list("written", flat=True) for one in written]
    files = {place["file"] for place in places if "file" in place}
    late = {note.owner_id for note in _unread(run.agent, pk__in=files)}
    for owner in owners(run.agent) if late else ():
        if (owner.pk if owner else None) in late:
            request(tx, Memory(run.agent, owner))


def _next(
    tx: Transaction, memory: Memory, user: User | None, after: Run | None = None
) -> engine.QueuedRun | None:
    left = _weeks(memory)
    clock = dream_time(memory.agent, left[0] + timedelta(days=1)) if left else None
    if clock is None or (after and after.clock == clock):  # a note that is written to all the time
        return None
    made = engine.enqueue(
        agent=memory.agent,
        owner=memory.owner,
        kind=Run.Kind.DREAM,
        trigger=BACKFILL,
        user=user,
        clock=clock,
    )
    if made.created:
        done = after.result["week"] if after else 0
        made.run.result = {"week": done + 1, "weeks": done + len(left)}
        made.run.save(update_fields=["result"])
        schedule.record(tx, "run.requested", made.run)
    return made


def _weeks(memory: Memory) -> list[date]:
    """The last date of each slice that holds a note to read."""
    notes = _unread(memory.agent, owner=memory.owner)
    found: list[date] = []
    for day in sorted(note.note_date for note in notes if note.note_date):
        if not found or day > found[-1]:
            found.append(day + timedelta(days=settings.DREAM_DATES - 1))
    return [min(day, _edge()) for day in found]


def _unread(agent: Agent, **which: object) -> list[File]:
    """Written after their nights, and not read since: of the others a night took its chance."""
    late = F("note_date") + timedelta(days=settings.DREAM_DATES + 1)
    notes = File.objects.present().filter(agent=agent, note_date__lte=_edge(), **which)
    columns = ("owner_id", "revision", "note_date", "updated_at")
    found = list(notes.filter(updated_at__gte=late).only(*columns))
    if not found:
        return []
    since = min(note.updated_at for note in found)
    whose = {note.owner_id for note in found}
    of_them = Q(owner__in=[pk for pk in whose if pk]) | Q(owner=None)
    runs = agent.runs.filter(of_them, started_at__gte=since)
    read = inputs.read_by_dreams(inputs.read_whole(runs))
    return [note for note in found if (str(note.pk), note.revision) not in read]


def _edge() -> date:
    """The last date that no coming night reads."""
    return inputs.window(timezone.now())[0] - timedelta(days=1)


def _is_stopped(run: Run) -> bool:
    row = Run.objects.filter(pk=run.pk).values_list("result", "agent__dreaming").get()
    return "stopped" in row[0] or not row[1]
