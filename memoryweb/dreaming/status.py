"""How an agent's dreaming stands: what is shown on Tonight and told by the API (SPEC §5.5)."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent
from memoryweb.dreaming import consolidators, diary, inputs
from memoryweb.dreaming.gates import Verdict
from memoryweb.dreaming.models import Report
from memoryweb.dreaming.pipeline import AWAY
from memoryweb.llm import usage
from memoryweb.llm.endpoint import configured, may_have
from memoryweb.memory.models import File
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.review import is_crowded
from memoryweb.memory.visible.readable import To, readable_file
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason

LATE = timedelta(hours=2)
RECENT = timedelta(days=14)


@dataclass(frozen=True)
class Status:
    agent: Agent
    last_run: Run | None
    running: tuple[Run, ...]
    latest_entry: str
    warnings: tuple[str, ...]


def status(memory: Memory, now: datetime, to: To = To.PAGE) -> Status:
    """Of one memory, or of the agent's shared notes."""
    runs = dreams_of(memory)
    looks = dreams_of(memory.shared).filter(reason=inputs.NO_NEW_NOTES)
    latest_entry, notes = told(memory, now, to)
    return Status(
        agent=memory.agent,
        last_run=(runs | looks).exclude(finished_at=None).order_by("-finished_at").first(),
        running=tuple(runs.filter(status=Run.Status.RUNNING)),
        latest_entry=latest_entry,
        warnings=notes,
    )


def told(memory: Memory, now: datetime, to: To = To.PAGE) -> tuple[str, tuple[str, ...]]:
    """The latest diary entry, and what a person should look at."""
    files = memory.files.present()
    core = {one.path: one for one in files.filter(path__in=(inputs.DIARY, inputs.MEMORY))}
    entry = diary.latest(readable_file(core[inputs.DIARY], to).text) if inputs.DIARY in core else ""
    return entry, (*warnings(memory.agent, now), *_crowded(core.get(inputs.MEMORY)))


def pending(memory: Memory, now: datetime) -> int:
    """How many note lines a dream would consider now."""
    return sum(one.verdict != "rejected" for one in candidates(memory, now))


def candidates(memory: Memory, now: datetime) -> tuple[Verdict, ...]:
    """What a dream would decide about now, by the rules; nothing is written."""
    agent, owner = memory.agent, memory.owner
    read = inputs.read(Run(team_id=agent.team_id, agent=agent, owner=owner, clock=now))
    return consolidators.by_rules(read).verdicts if read.mentions else ()


def dreams_of(memory: Memory) -> QuerySet[Run]:
    return Run.objects.filter(
        inputs.notes_of(memory.owner), agent=memory.agent, kind=Run.Kind.DREAM
    )


def warnings(agent: Agent, now: datetime) -> Iterable[str]:
    """Sentences about what a person should look at."""
    if not agent.dreaming or not settings.DREAMING:
        yield _("Dreaming is off: nothing is learned at night.")
    elif agent.next_dream_at and agent.next_dream_at < now - LATE:
        yield _("The nightly dream is late by over two hours; is a worker running?")
    if waits := late_dreams(now).filter(agent=agent).first():
        said = _("A dream of the night is late by over two hours: {why}")
        yield said.format(why=reason(waits.reason) if waits.reason else _("It has not started."))
    dreams = agent.runs.filter(kind=Run.Kind.DREAM, finished_at__gt=now - timedelta(days=1))
    by_rules = dreams.filter(consolidator="rules", checked__isnull=False)
    if any(AWAY in (one or {}) for one in by_rules.values_list("checked", flat=True)):
        yield _("The model has been away for two nights, so the rules did the last one.")
    if repeating([agent.pk], now):
        yield _("The last two nights had the same result.")
    if agent.local_models_only and not configured(agent.team_id, local_only=True):
        yield _("It asks local models only, and the team has none: the rules do the work.")
    if may_have(agent):
        yield from of_endpoint(agent.team)


def of_endpoint(team: Team) -> Iterable[str]:
    """Sentences about why no model is asked."""
    if not configured(team.pk):
        return
    if usage.open_until(team.pk):
        yield _("The model endpoint failed five times in a row and is paused for a while.")
    today = usage.today(team.pk, team.token_budget)
    if today.is_spent:
        yield _("Today's budget is used up. Dreams wait until tomorrow.")
    elif today.is_nearly_spent:
        yield _("Over four fifths of today's budget are used.")


def _crowded(file: File | None) -> Iterable[str]:
    """What people hold fast leaves no room for what a dream finds."""
    if file and is_crowded(file):
        yield _(
            "Over four fifths of MEMORY.md are lines that people wrote, confirmed or pinned: "
            "there is little room for anything new."
        )


def late_dreams(now: datetime) -> QuerySet[Run]:
    """Dreams of a night that still wait, for whatever."""
    nightly = Run.objects.active().filter(kind=Run.Kind.DREAM, trigger=Run.Trigger.CRON)
    return nightly.filter(created_at__lt=now - LATE).order_by("created_at")


def repeating(agent_ids: Collection[UUID], now: datetime) -> set[UUID]:
    """Agents where the last two dreams of one owner that promoted something gave the same."""
    recent = Report.objects.filter(agent__in=agent_ids, dreamt_at__gt=now - RECENT)
    wrote = recent.filter(promoted__gt=0).exclude(fingerprint="").order_by("-dreamt_at")
    last: dict[tuple[UUID, UUID | None], list[str]] = defaultdict(list)
    for agent, owner, fingerprint in wrote.values_list("agent", "owner", "fingerprint"):
        last[agent, owner].append(fingerprint)
    return {agent for (agent, _owner), seen in last.items() if seen[0] in seen[1:2]}
