"""What a request hides and offers, told to who may read it: each statement once, wherever it
stands."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Count, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects

from memoryweb.agents.models import Agent
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.language.forget_requests import meanings
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.lines.flags import flagged_of
from memoryweb.memory.models import Fact, File, ForgetRequest, Message, Revision, Target
from memoryweb.memory.models.forgetting import Mention, columns_of
from memoryweb.memory.models.review import offered as candidates
from memoryweb.memory.models.writer import Memory
from memoryweb.memory.visible.hidden import MARK, hiding, of_targets, text_of
from memoryweb.memory.visible.outdated import flagged_messages
from memoryweb.memory.visible.text_matching import Sought, says

_OF = ("fact", "file", "message")

# What a program may not read of what it asks to forget: hidden, flagged or reverted text.

_NOT_READ = frozenset({Fact.State.PENDING, Fact.State.RETIRED})


def withheld_among(
    places: Iterable[Mention | Target], *, besides: ForgetRequest | None = None
) -> Callable[[Mention | Target], bool]:
    """Tells of each of these places; `besides` is the request that hides them only now."""
    shown = list(places)
    files = {place.file.pk: place.file for place in shown if place.file}
    messages = {place.message.pk: place.message for place in shown if place.message}
    facts = {place.fact.pk for place in shown if place.fact}
    rows = hiding(Q(fact__in=facts) | Q(file__in=files) | Q(message__in=messages))
    away = of_targets(rows.exclude(request=besides) if besides else rows)
    prints = {key: set(found) for key, found in away.prints.items()}
    for key, numbers in (flagged_of(files.values()) if files else {}).items():
        lines = files[key].raw_content.split("\n")
        found = {fingerprint(lines[n - 1]) for n in numbers if n <= len(lines)}
        prints[key] = prints.get(key, set()) | found
    flagged = flagged_messages(messages.values()) if messages else set()

    def is_withheld(place: Mention | Target) -> bool:
        if place.fact and (place.fact.pk in away.facts or place.fact.state in _NOT_READ):
            return True
        if place.file and place.fingerprint in prints.get(place.file.pk, ()):
            return True
        said = place.message
        return said is not None and (
            said.reverted_at is not None or said.pk in flagged or said.pk in away.spans
        )

    return is_withheld


def withheld_targets(request: ForgetRequest, *, besides: ForgetRequest | None = None) -> set[int]:
    rows = list(request.targets.select_related(*_OF))
    is_withheld = withheld_among(rows, besides=besides)
    return {row.pk for row in rows if is_withheld(row)}


_ORDER = (Target.Kind.FACT, Target.Kind.LINE, Target.Kind.MESSAGE)


@dataclass(frozen=True)
class RequestContent:
    """`where` names the files and conversations; `targets` are all places that say it."""

    id: str
    text: str
    where: tuple[str, ...]
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Account:
    """`about` is what was asked, in the words of who did."""

    about: str
    hidden: tuple[RequestContent, ...]
    candidates: tuple[RequestContent, ...]


def requests_of(agent: Agent) -> "QuerySet[ForgetRequest]":
    return ForgetRequest.objects.filter(agent=agent).prefetch_related(_targets())


def waiting_of(owners: Collection[UUID], *, is_decided: bool = False) -> list[ForgetRequest]:
    """Of these owners, the latest first."""
    found = ForgetRequest.objects.filter(owner__in=list(owners), is_everything=False)
    is_waiting = Q(state__in=ForgetRequest.HIDING)
    found = found.filter(~is_waiting if is_decided else is_waiting)
    shown = found.select_related("agent", "owner", "message", "conversation")
    return list(shown.order_by("-created_at", "-pk"))


def tell(request: ForgetRequest) -> Account:
    return tell_all([request])[request.pk]


def tell_all(requests: Sequence[ForgetRequest]) -> Mapping[object, Account]:
    """In one statement for many, none where they brought their targets along."""
    prefetch_related_objects(requests, _targets())
    return {request.pk: _account(request) for request in requests}


def _account(request: ForgetRequest) -> Account:
    """Its own sentence is no statement."""
    rows = [row for row in request.targets.all() if not _asks(row, request)]
    hidden = _contents(row for row in rows if row.is_hidden)
    return Account(
        request.raw_about, tuple(hidden), tuple(_contents(row for row in rows if not row.is_hidden))
    )


def _asks(row: Target, request: ForgetRequest) -> bool:
    return row.message_id is not None and row.message_id == request.message_id


def _targets() -> "Prefetch[Any]":
    rows = Target.objects.select_related("fact", "file", "message__conversation")
    return Prefetch("targets", rows.order_by("pk"))


def offered(memory: Memory) -> Iterator[tuple[str, Mention]]:
    """Lines and messages among the candidates of what waits, each by its id."""
    rows = Target.objects.filter(request__agent=memory.agent, request__owner=memory.owner)
    waiting = rows.filter(fact=None, is_hidden=False, request__state__in=ForgetRequest.HIDING)
    for row in waiting.select_related("file", "message__conversation"):
        yield id_of(row), mention_of(row)


def mention_of(row: Target) -> Mention:
    """With what it says now."""
    return Mention(text=text_of(row), where=_where(row), **columns_of(row))


def offered_of(request: ForgetRequest) -> list[RequestContent]:
    """What programs may read of what a request offers."""
    secret = withheld_targets(request)
    return [content for content in tell(request).candidates if secret.isdisjoint(content.targets)]


def about_of(request: ForgetRequest, *, is_theirs: bool) -> str:
    """For who may decide about it, or anybody else."""
    return request.raw_about if is_theirs else about_for_others(request)


def with_offer(requests: "QuerySet[Any]") -> "QuerySet[Any]":
    """With the first statement that each offers, and how many there are."""
    said = candidates().filter(fact__isnull=False).order_by()
    counted = said.values("request").annotate(n=Count("pk")).values("n")
    first = said.order_by("pk").values("fact__raw_text")[:1]
    found: QuerySet[Any] = requests.annotate(offered=Subquery(first), offers=Subquery(counted))
    return found


def about_for_others(request: ForgetRequest) -> str:
    """A topic is told ("my weight"); more of the words may say what is hidden."""
    is_hiding = request.state in ForgetRequest.HIDING and any(
        t.is_hidden for t in request.targets.all()
    )
    is_topic = not is_hiding or all(meaning.is_topic for meaning in meanings(request.raw_about))
    return request.raw_about if is_topic else MARK


def statements(requests: Iterable[ForgetRequest]) -> int:
    """How many they hid: what was of before, and what an assistant said, goes with them."""
    asked = list(requests)
    told = tell_all(asked)
    return sum(_statements(request, told[request.pk]) for request in asked)


def _statements(request: ForgetRequest, account: Account) -> int:
    rows = {row.pk: row for row in request.targets.all()}
    found = [any(_counts(rows[pk]) for pk in content.targets) for content in account.hidden]
    return sum(found) or 1


def _counts(row: Target) -> bool:
    if row.fact is not None:
        return row.fact.state not in Fact.OVER
    return row.message is None or row.message.role == Message.Role.USER


def away_of(agent_id: UUID, whose: Q) -> Callable[[UUID | None], Sought]:
    """By owner what of their memory is to be forgotten: records that repeat it are read without.
    `whose` filters requests by their owner. In one statement."""
    found: dict[UUID | None, list[str]] = {}
    for row in hiding(whose & Q(request__agent=agent_id)).select_related(*_OF, "request"):
        found.setdefault(row.request.owner_id, []).append(text_of(row))
    return cache(lambda owner_id: Sought(found.get(owner_id, ())))


def away_from(agent_id: UUID, owner_id: UUID | None) -> Sought:
    """The same of one memory."""
    return Sought(map(text_of, _hidden_of(agent_id, owner_id)))


def without_away(file: File, found: Iterable[Revision]) -> None:
    """Why its revisions were written, as anybody may read it."""
    if told := [revision for revision in found if revision.reason]:
        away = away_from(file.agent_id, file.owner_id)
        for revision in told:
            revision.reason = away.without(revision.reason)


@PreparedQuery
def _hidden_of(agent_id: UUID, owner_id: UUID | None) -> "QuerySet[Target]":
    rows = hiding(Q(request__agent=agent_id, request__owner=owner_id))
    return rows.select_related(*_OF)


def id_of(target: Target) -> str:
    """A statement's own id; of a line or message that of its place here."""
    return str(target.fact_id) if target.fact_id else f"t{target.pk}"


def _contents(rows: Iterable[Target]) -> Iterator[RequestContent]:
    """The fullest name first: a fact, then a line, then what was said."""
    kept: list[tuple[Target, str, list[Target]]] = []
    for row in sorted(rows, key=lambda target: _ORDER.index(Target.Kind(target.kind))):
        text = text_of(row)
        same = next((of for _first, said, of in kept if says(text, said)), None) if text else []
        if same is None:
            kept.append((row, text, [row]))
        else:
            same.append(row)
    for row, text, places in kept:
        where = tuple(dict.fromkeys(filter(None, map(_where, places))))
        yield RequestContent(id_of(row), text, where, tuple(place.pk for place in places))


def _where(row: Target) -> str:
    if row.message is not None:
        return row.message.conversation.external_id
    return row.file.path if row.file else row.fact.path if row.fact else ""
