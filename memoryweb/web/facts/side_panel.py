"""What the page of one statement tells beside it: its use, who sees it, what forgetting takes."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.agents.break_glass import grants_about
from memoryweb.memory.models import Fact, Injection, Target
from memoryweb.memory.models.forgetting import Meant
from memoryweb.memory.prompt import uses_of
from memoryweb.web.access import TeamRequest
from memoryweb.web.display_names import talk_url
from memoryweb.web.svg_charts import life_bars, use_bars

_DAYS, _TALKS, _VALUES = 30, 4, 6
LOOKED_BACK = timedelta(days=90)


def used(request: TeamRequest, fact: Fact, line: int) -> dict[str, Any]:
    """How often in 30 days, by day, and the latest conversations that this person may read."""
    today = timezone.localtime(request.visit.now).date()
    since = request.visit.now - timedelta(days=_DAYS)
    found = uses_of(fact, line, request.visit.outcomes("injection__owner"), since)
    counts = Counter(timezone.localtime(one.at).date() for one in found)
    days = [today - timedelta(days=ago) for ago in reversed(range(_DAYS))]
    return {
        "count": len(found),
        "bars": use_bars([(day, counts[day]) for day in days]),
        "talks": _talks(request, found),
    }


def _talks(request: TeamRequest, found: Sequence[Injection]) -> list[dict[str, Any]]:
    talks: dict[Any, dict[str, Any]] = {}
    for one in found:
        talk = one.conversation
        if talk is None or not request.visit.is_common(talk.owner_id):
            continue
        row = talks.setdefault(talk.pk, {"talk": talk, "at": one.at, "count": 0, "via": one.via})
        row |= {"count": row["count"] + 1, "url": talk_url(request, talk)}
    return list(talks.values())[:_TALKS]


def life(values: Sequence[dict[str, Any]], today: date) -> dict[str, Any] | None:
    """A picture of what was true when; one value alone needs none."""
    shown = [one for one in values if one["since"] <= today][:_VALUES]
    if len(shown) < 2:
        return None
    return life_bars(
        [
            (one["fact"].value or one["fact"].text, one["since"], one["until"])
            if one["is_past"]
            else (one["fact"].value or one["fact"].text, one["since"], None)
            for one in reversed(shown)
        ],
        today,
    )


def seen_by(request: TeamRequest, fact: Fact) -> str:
    """Whether anybody else looked at the owner's memory; empty for the shared one."""
    if fact.owner_id is None or fact.owner_id not in request.visit.mine:
        return ""
    since = request.visit.now - LOOKED_BACK
    if grants_about([fact.owner_id]).filter(created_at__gte=since).exists():
        return _("Somebody opened your memory in the last 90 days.")
    return _("Nobody else looked in 90 days.")


def goes(meant: Sequence[Meant]) -> list[tuple[str, int]]:
    """What a dry run of forgetting found, counted by where it stands."""
    counts = Counter(_place(one) for one in meant)
    labels = {
        "file": _("Statements and lines of files"),
        "note": _("Lines of notes"),
        "message": _("Sentences in conversations"),
    }
    return [(label, counts[key]) for key, label in labels.items() if counts[key]]


def _place(one: Meant) -> str:
    if one.kind == Target.Kind.MESSAGE:
        return "message"
    return "note" if one.file and one.file.note_date else "file"
