"""Statements as pages print them: what each stands on, where it stands, what was said before."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.accounts.permissions import Permission
from memoryweb.agents.break_glass import grants_about
from memoryweb.agents.models import Agent
from memoryweb.memory.lines.origins import origins_at
from memoryweb.memory.lines.revisions import author_name
from memoryweb.memory.models import (
    Contradiction,
    Evidence,
    Fact,
    Injection,
    SourceClass,
    Target,
)
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.prompt import can_recall, recall_of, uses_of
from memoryweb.memory.statements import listing
from memoryweb.memory.statements.trust import Band
from memoryweb.memory.statements.validity import state_on, today
from memoryweb.memory.visible.hidden import is_hidden
from memoryweb.memory.visible.readable import Look, To, cited, readable_facts, readable_file
from memoryweb.web import wording
from memoryweb.web.access import TeamRequest, note_read
from memoryweb.web.charts import bar, life_bars, use_bars
from memoryweb.web.pages import to
from memoryweb.web.statements import speaker_of
from memoryweb.web.wording import fact_url, file_url, owner_name, owner_query, talk_url

Row = dict[str, Any]
_AROUND = 2  # lines that are shown before and after
_MOST = 20  # earlier values
_LIVING = frozenset({Fact.State.ACTIVE, Fact.State.DISPUTED})
_PAST = frozenset({Fact.State.SUPERSEDED, Fact.State.EXPIRED, Fact.State.RETIRED})


def rows_of(
    request: TeamRequest,
    facts: Sequence[Any],
    *,
    beside: Agent | None = None,
    said: Iterable[Evidence] | None = None,
) -> list[Row]:
    """Each file is read once. Another agent's are GLOBAL ones, which are read `beside` this one.
    `said`: what they stand on, where it is known, the latest last."""
    look = Look(To.PAGE, facts=facts)
    lines = {one.pk: listing.lines_of(one) for one in {fact.file for fact in facts if fact.file}}
    speakers = _speakers(request, listing.evidence_of(facts) if said is None else said)
    rows = []
    for fact in facts:
        state = _state(request, fact)
        line = lines.get(fact.file_id, {}).get(fact.fingerprint, 0)
        readable = look.fact(fact)
        row = {
            "fact": fact,
            "text": readable.text,
            "ended": readable.ended,
            "url": fact_url(request, fact),
            "chip": wording.TO_BE_FORGOTTEN if readable.is_hidden else wording.of_fact(state),
            "state": state,
            "is_current": state == Fact.State.ACTIVE,
            "is_living": state in _LIVING,
            "is_past": state in _PAST,
            "is_hidden": readable.is_hidden,
            "trust": wording.trust_in_words(fact, request.visit) if state in _LIVING else "",
            "kind": wording.FACT_KINDS[fact.kind],
            "who": (not fact.is_written and speakers.get(fact.pk)) or _source(request, fact),
            "since": listing.held_from(fact),
            "line": line,
        }
        row |= _place(request, fact, line, beside)
        if beside and fact.agent_id != beside.pk:
            row |= {"is_global": True, "url": row["place_url"]}
        rows.append(row)
    return rows


FEW = 20  # statements that need no overview
# Of a part of the bar and of its mark in the legend: the class.
_TONES = {"high": ("b1", ""), "medium": ("b2", "k2"), "low": ("b0", "k0"), "disputed": ("bw", "kw")}


def trust_bar(counts: Mapping[str, int]) -> list[Row]:
    """The parts of a bar of 100, each with the query that lists it; none of a few statements."""
    total, x, parts = sum(counts.values()), 0.0, []
    for name, n in counts.items() if total >= FEW else ():
        (tone, key), is_band = _TONES[name], name in Band.values
        label = Band(name).label if is_band else Fact.State(name).label
        query = f"state=active&trust={name}" if is_band else f"state={name}"
        drawn = bar(tone, x, 0, 100 * n / total, 8, str(label))
        if n:
            parts.append({"bar": drawn, "key": key, "n": n, "query": query})
        x += 100 * n / total
    return parts


def sides_shown(
    request: TeamRequest, found: Sequence[Contradiction], said: Sequence[Any] = ()
) -> dict[UUID, list[Row]]:
    """By contradiction: what stands first, each side with what it stands on; that is `said`, where
    it is known."""
    sides = {one.pk: listing.sides_of(one, one.facts.all()) for one in found}
    facts = [fact for of_one in sides.values() for fact in of_one]
    said = said or cited(tuple(fact.pk for fact in facts))
    rows = {row["fact"].pk: row for row in rows_of(request, facts, said=said[::-1])}
    look = _look(said)
    for fact in facts:
        rows[fact.pk]["grounds"] = _grounds(request, fact, said, look)
    return {key: [rows[fact.pk] for fact in of_one] for key, of_one in sides.items()}


def surroundings(fact: Fact, line: int) -> list[tuple[int, str]]:
    """Its line of the file between its neighbours, each with its number."""
    if fact.file is None or not line:
        return []
    numbered = list(enumerate(readable_file(fact.file, To.PAGE).lines, 1))
    return numbered[max(0, line - 1 - _AROUND) : line + _AROUND]


def grounds_of(request: TeamRequest, *facts: Fact) -> Iterator[list[Row]]:
    """What each stands on, the latest first. One without a text is not for this reader."""
    said = cited(tuple(fact.pk for fact in facts))
    look = _look(said)
    return (_grounds(request, fact, said, look) for fact in facts)


def _look(said: Iterable[Any]) -> Look:
    return Look(To.PAGE, messages=[one.message for one in said if one.is_meant])


def _grounds(request: TeamRequest, fact: Fact, said: Iterable[Evidence], look: Look) -> list[Row]:
    its = [one for one in said if one.fact_id == fact.pk]
    grounds = [_ground(request, one, look) for one in its]
    if fact.is_written:  # what was said before stands no longer behind their words
        before = [one | {"is_before": True} for one in grounds if one.get("is_quoted")]
        grounds = [_written(request, one) for one in its if one.root_id] + before
    if fact.confirmed_at:
        who = fact.confirmed_by
        told = _("{name} confirmed it.").format(name=who) if who else _("It was confirmed.")
        grounds.append({"text": told, "at": fact.confirmed_at})
    return sorted(grounds, key=lambda one: one["at"].timestamp() if one["at"] else 0, reverse=True)


def noted(request: TeamRequest, fact: Fact, line: int) -> list[tuple[date, str]]:
    """The lines of daily notes that its line was learned from, each with its day."""
    origins = origins_at(fact.file, line) if fact.file and line else ()
    found = {
        (one.source_file.note_date, file_url(request, one.source_file, one.source_line))
        for one in origins
        if one.source_file and one.source_file.note_date
        if request.visit.reads(one.source_file.owner_id)
    }
    return sorted(found)


def notes_of(request: TeamRequest, fact: Fact) -> list[Row]:
    """What a reader should know before the rest."""
    notes, rival = [], fact.contradiction
    if rival is not None and rival.state == Contradiction.State.OPEN:
        url = to(request, "review_item", "contradiction", rival.pk)
        said = _("Another statement contradicts it. A person decides which one is true.")
        if rival.is_question:
            said = _("A person is asked whether it still holds, or a newer one takes its place.")
        notes.append({"text": said, "url": url, "label": _("See both")})
    elif fact.state == Fact.State.PENDING:
        url = to(request, "review", query="?kind=flag")
        said = _("It's waiting for a person. Until then it's in no prompt.")
        notes.append({"text": said, "url": url, "label": _("Review")})
    if fact.hidden_at:
        said = _(
            "The person it is about has said otherwise."
            " It's in no prompt, and the next dream updates it."
        )
        notes.append({"text": said})
    if fact.corrected_at:
        said = _("A person took it back. Nothing said before then can bring it back.")
        notes.append({"text": said})
    return notes


def values_shown(request: TeamRequest, fact: Fact) -> list[Row]:
    """What was said of the same thing, and when each held."""
    shown = listing.values_of(fact).select_related("superseded_by", "agent")
    found = list(shown.annotate(is_hidden=is_hidden())[:_MOST])
    return [
        {
            "fact": one,
            "text": readable.text,
            "ended": readable.ended,
            "label": readable.value or readable.text,
            "url": fact_url(request, one),
            "since": listing.held_from(one),
            "until": _ended(one),
            "is_past": _state(request, one) in _PAST,
            "why": one.get_why_display() if one.why else "",
            "is_shown": one.pk == fact.pk,
        }
        for one, readable in zip(found, readable_facts(found, To.PAGE), strict=True)
    ]


def _ended(fact: Fact) -> Any:
    if fact.valid_to or fact.state not in _PAST:
        return fact.valid_to
    return listing.held_from(fact.superseded_by) if fact.superseded_by else fact.changed_at.date()


def _ground(request: TeamRequest, one: Evidence, look: Look) -> Row:
    if one.message:
        talk = one.message.conversation
        if not request.visit.reads(talk.owner_id):
            return {"at": None}
        note_read(request, talk.owner, "conversation", talk.pk)
        return {
            "text": look.quote(one),
            "is_quoted": True,
            "who": speaker_of(request, one.message),
            "at": one.message.said_at or one.message.timestamp,
            "url": talk_url(request, talk, one.message.position),
            "label": _("Open the conversation"),
        }
    return _written(request, one)


def _written(request: TeamRequest, one: Evidence) -> Row:
    """Who wrote it down, and in which revision."""
    if one.root is None or not request.visit.reads(one.root.file.owner_id):
        return {"at": None}
    file, number, writer = one.root.file, one.root.number, one.root.user
    is_mine = writer is not None and writer == request.visit.user
    query = owner_query(request.visit, file.owner_id)
    text = _("You wrote this.") if is_mine else _("Written down in {path}.").format(path=file.path)
    return {
        "text": text,
        "is_mine": is_mine,
        "who": "" if is_mine else author_name(one.root, file.agent),
        "at": one.said_at or wording.happened_at(one.root),
        "url": to(request, "agents_revision", file.agent_id, file.path, number, query=query),
        "label": _("Revision {n}").format(n=number),
    }


def _state(request: TeamRequest, fact: Fact) -> Fact.State:
    return state_on(fact, today(request.visit.now, fact.agent.zone))


def _speakers(request: TeamRequest, said: Iterable[Evidence]) -> dict[UUID, str]:
    """Who said it last, where a message tells and this reader may see it."""
    return {
        one.fact_id: speaker_of(request, one.message)
        for one in said
        if one.message
        and one.message.name
        and request.visit.reads(one.message.conversation.owner_id)
    }


def _source(request: TeamRequest, fact: Fact) -> str:
    if fact.source == SourceClass.OWNER and fact.owner_id in request.visit.mine:
        return _("You")
    is_agents = fact.source in {SourceClass.AGENT, SourceClass.DREAM}
    return fact.agent.name if is_agents else str(SourceClass(fact.source).label)


def _place(request: TeamRequest, fact: Fact, line: int, beside: Agent | None) -> Row:
    """Where it stands: a line of a file, or a sentence for why in none."""
    if fact.file is not None:
        label = f"{fact.file.path}:{line}" if line else fact.file.path
        return {
            "place": label,
            "place_url": file_url(request, fact.file, line or None, agent=beside),
        }
    if fact.state == Fact.State.PENDING:
        return {"place": _("In no file yet: it's waiting for a decision.")}
    if fact.state not in _PAST:
        return {"place": _("Not in the prompt: MEMORY.md has no room for it.")}
    return {"place": str(fact.get_why_display()) if fact.why else _("No longer in a file.")}


# What the page of one statement tells beside it: its use, who sees it, what forgetting takes.

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
        "talks": talks_of(request, found),
    }


def talks_of(request: TeamRequest, found: Sequence[Injection]) -> list[dict[str, Any]]:
    """The latest conversations of these prompts that this person may read."""
    talks: dict[Any, dict[str, Any]] = {}
    for one in found:
        talk = one.conversation
        if talk is None or not request.visit.is_common(talk.owner_id):
            continue
        row = talks.setdefault(talk.pk, {"talk": talk, "at": one.at, "count": 0})
        row |= {"count": row["count"] + 1, "url": talk_url(request, talk)}
    return list(talks.values())[:_TALKS]


def recall(
    request: TeamRequest, fact: Any, values: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Who was given it, or what it replaced, if that was wrong, and who took note. Whose each
    conversation is, an admin is told, and of their own who sent the notice."""
    before = (one["fact"] for one in values if one["fact"].superseded_by_id == fact.pk)
    wrong = next((one for one in (fact, *before) if can_recall(one) and not one.is_hidden), None)
    if wrong is None:
        return None
    found, visit, whose = recall_of(wrong), request.visit, Counter[tuple[str, bool]]()
    for one in found.notices.values():
        is_own = one.sent_by_id == visit.user.pk and one.conversation.owner_id in visit.mine
        if visit.can(Permission.MANAGE_MEMBERS) or is_own:
            whose[owner_name(visit, one.conversation.owner), one.told_at is not None] += 1
    told = sum(one.told_at is not None for one in found.notices.values())
    return {"fact": wrong, "found": found, "told": told, "whose": sorted(whose.items())}


def life(values: Sequence[dict[str, Any]], today: date) -> dict[str, Any] | None:
    """A picture of what was true when; one value alone needs none."""
    shown = [one for one in values if one["since"] <= today][:_VALUES]
    if len(shown) < 2:
        return None
    return life_bars(
        [
            (one["label"], one["since"], one["until"] if one["is_past"] else None)
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


def goes(meant: Sequence[Mention]) -> list[tuple[str, int]]:
    """What a dry run of forgetting found, counted by where it stands."""
    counts = Counter(_place_of(one) for one in meant)
    labels = {
        "file": _("Statements and lines of files"),
        "note": _("Lines of notes"),
        "message": _("Sentences in conversations"),
    }
    return [(label, counts[key]) for key, label in labels.items() if counts[key]]


def _place_of(one: Mention) -> str:
    if one.kind == Target.Kind.MESSAGE:
        return "message"
    return "note" if one.file and one.file.note_date else "file"
