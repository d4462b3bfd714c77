"""The statements that a night begins with: those that hold, and what people took back."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from memoryweb.agents.models import Owner
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.dreaming import operations
from memoryweb.dreaming.candidates import Candidate, Mention
from memoryweb.dreaming.operations import meant
from memoryweb.dreaming.removal_rules import is_rival, may_replace, outlives
from memoryweb.language.ending_signs import is_news
from memoryweb.language.ending_words import heavy_in
from memoryweb.language.extraction_rules import Claim, claim_of, takes_back
from memoryweb.language.statement_comparison import Lookup
from memoryweb.markdown.marks import Ended
from memoryweb.memory.lines.source_classes import BY_TRUST, account_of, name_of, source_of_message
from memoryweb.memory.models import AuthorKind, Fact, LineOrigin, Message, SourceClass
from memoryweb.memory.statements.bullets import Statement, pinned_in, statements_of
from memoryweb.memory.statements.listing import weighed, weight_of
from memoryweb.memory.statements.trust import START
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.visible.readable import To, statement
from memoryweb.runs.models import Run

MEMORY, PROFILE = operations.MEMORY, operations.PROFILE
NOTED_IN = timedelta(days=1)  # what a message said, unless nothing ever notes it
DECIDED = ("pk", "state", "source", "confirmed_at", "corrected_at", "hidden_at")


def _facts(
    agent_id: uuid.UUID, owner_id: uuid.UUID | None, away: Collection[uuid.UUID]
) -> "QuerySet[Fact]":
    """Those that may stand in MEMORY.md, of an owner's also in their PROFILE.md, and those that a
    person took back. The shared PROFILE.md is people's."""
    rows = Fact.objects.of(agent_id, owner_id).exclude(pk__in=away)
    held = Q(file__isnull=False) | Q(state=Fact.State.ACTIVE)
    paths = paths_of(owner_id)
    return rows.filter(held & Q(path__in=paths) | Q(corrected_at__isnull=False))


def paths_of(owner_id: uuid.UUID | None) -> tuple[str, ...]:
    """The files that a night writes statements into."""
    return (MEMORY, PROFILE) if owner_id else (MEMORY,)


known_of = PreparedQuery(lambda *of: remembered_of(weighed(_facts(*of))).order_by("pk"))
decided_of = PreparedQuery(lambda *of: _facts(*of).values_list(*DECIDED))


def living(
    run: Run,
    content: str,
    origins: Mapping[int, list[LineOrigin]],
    hidden: Collection[int],
    known: Iterable[Any],
    names: Collection[str] = (),
    path: str = MEMORY,
) -> Iterator[operations.LivingStatement]:
    """The statements of a file, and those that found no room there. `origins` of its lines;
    `hidden` are those that no model is given; `names` those of whom it is about."""
    facts = {
        fact.fingerprint: fact
        for fact in known
        if fact.path == path and (fact.file_id or fact.state == Fact.State.ACTIVE)
    }
    pinned = pinned_in(content, path)
    for one in statements_of(content, path):
        lines = range(one.line, one.end + 1)
        found = [row for line in lines for row in origins.get(line, ())]
        fact = facts.pop(one.print, None)
        by = spoken(found, run.owner)
        is_written = (row.author_kind == AuthorKind.PERSON and not row.released for row in found)
        yield operations.LivingStatement(
            id=str(fact.pk) if fact else f"{path} line {one.line}",
            text=one.text,
            claim=meant(_held_until(one.claim, fact), one.text, by, names),
            by=confirmed(by, fact and fact.confirmed_at),
            is_persons=any(is_written) or bool(fact and fact.confirmed_at),
            is_pinned=one.print in pinned,
            is_flagged=any(line in hidden for line in lines),
            is_hidden=bool(fact and fact.hidden_at),
            is_timed=bool(fact and fact.remembered_until),
            value=weight_of(fact, run.now).value if fact else START,
            ended=_ended(one, fact),
            path=path,
        )
    for fact in facts.values():
        if fact.file_id is None:
            yield _aside(fact, run)


def answered(
    living: Iterable[operations.LivingStatement],
    known: Iterable[Fact],
    mentions: Iterable[Mention],
    said: Collection[operations.CitableLine],
    now: datetime,
) -> Iterator[operations.LivingStatement]:
    """Statements that their owner's own message hid, with the note lines that were made of it, or
    a day's time for those to come."""
    hiding = {str(fact.pk): fact.hidden_by_id for fact in known if fact.hidden_at}
    fresh = {str(fact.pk) for fact in known if fact.hidden_at and fact.hidden_at > now - NOTED_IN}
    of_message: dict[int | None, set[str]] = defaultdict(set)
    for mention in mentions if hiding else ():
        for ground in mention.grounds:
            of_message[ground.message_id].add(mention.ref)
    for one in living:
        message = hiding.get(one.id)
        lines = [it for it in said if message and it.ref in of_message[message]]
        meant = [it for it in lines if takes_back(it.claim, one.text)]
        against = meant or (lines if len(lines) == 1 else [])
        awaits = bool(message) and not lines and one.id in fresh
        yield replace(one, against=tuple(it.ref for it in against), awaits=awaits)


def _ended(one: Statement, fact: Fact | None) -> tuple[Ended, ...]:
    """A pinned line has no marks, so only its fact knows."""
    return tuple(sorted({*one.ended, *(fact.ended if fact else ())}))


def _held_until(claim: Claim, fact: Fact | None) -> Claim:
    """What is stored was read when it was known when it was said; what a person chose is no guess
    from its form."""
    if fact is None or fact.valid_to is None:
        return claim
    is_guessed = claim.general and fact.remembered_until is None
    return replace(claim, valid_to=fact.valid_to, general=is_guessed)


def _aside(fact: Fact, run: Run) -> operations.LivingStatement:
    """Trusted no further than a dream, wherever it came from."""
    is_own = fact.source in {SourceClass.OWNER, SourceClass.PERSON}
    told = _stated(fact)
    said = operations.Utterance(
        fact.said_at, "" if is_own and run.owner_id else operations.NOBODY, is_word=is_own
    )
    return operations.LivingStatement(
        id=str(fact.pk),
        text=told.text,
        claim=_held_until(told.claim, fact),
        by=confirmed(said, fact.confirmed_at),
        is_persons=fact.confirmed_at is not None,
        is_hidden=fact.hidden_at is not None,
        is_timed=fact.remembered_until is not None,
        stands=False,
        value=weight_of(fact, run.now).value,
        ended=fact.ended,
    )


def corrections(known: Iterable[Fact]) -> Iterator[operations.Correction]:
    """What people took back."""
    for fact in known:
        if fact.corrected_at is not None:
            told = _stated(fact)
            yield operations.Correction(told.text, told.claim, fact.corrected_at)


def _stated(fact: Fact) -> Statement:
    return Statement(statement(fact, To.HOST).text, fact.heading, ended=fact.ended)


# What MEMORY.md and the notes say already, to be asked about a candidate. Pure.


class KnownStatements:
    """What stands, asked whether it already says a thing."""

    def __init__(self, lines: Sequence[str], living: Sequence[operations.LivingStatement]) -> None:
        self._by_key: dict[tuple[str, str] | None, list[operations.LivingStatement]] = defaultdict(
            list
        )
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for one in living:
            if one.claim.key:
                self._by_key[one.claim.key].append(one)
            for word in heavy_in(one.living):
                self._by_word[word].append(one.living)
        self._numbers: dict[str, int] = {}
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith(("#", "<!--")):
                self._numbers.setdefault(line, number)
        for one in living:
            if one.path == PROFILE and one.stands:
                self._numbers.setdefault(one.text, 0)
        self._lookup = Lookup(self._numbers)

    def has_other(self, candidate: Candidate) -> bool:
        """It says otherwise of the same thing, or its owner tells news of it."""
        new = _statement(candidate)
        if any(is_rival(new, one) for one in self._by_key.get(new.claim.key, ())):
            return True
        return candidate.is_owners and any(
            is_news(new.text, one) for word in heavy_in(new.text) for one in self._by_word[word]
        )

    def line(self, candidate: Candidate) -> int | None:
        """On which line of MEMORY.md; 0: in PROFILE.md."""
        line = next(self._lookup.covering(candidate.text), None)
        return None if line is None else self._numbers[line]


class Later:
    """The lines of the notes, asked which of them was said later and says otherwise."""

    def __init__(self, said: Sequence[operations.CitableLine]) -> None:
        self._said: dict[str, list[operations.CitableLine]] = defaultdict(list)
        for one in said:
            self._said[one.text].append(one)
        self._lookup = Lookup(self._said)
        self._against = [one for one in said if one.claim.is_against]

    def against(self, candidate: Candidate) -> Iterator[operations.CitableLine]:
        old = _statement(candidate)
        near = (one for text in self._lookup.opposing(old.text) for one in self._said[text])
        for one in (*near, *self._against):
            new = operations.LivingStatement("", one.text, one.claim, one.by)
            is_news = old.by.said_at and operations.is_later(one.by.said_at, old.by.said_at)
            is_against = is_news and may_replace(one.by, old) and is_rival(new, old)
            if is_against and not outlives(old, new):
                yield one


def _statement(candidate: Candidate) -> operations.LivingStatement:
    last = candidate.mentions[-1]
    claim = meant(claim_of(candidate.text, last.date), candidate.text, last.by, ())
    return operations.LivingStatement("", candidate.text, claim, last.by)


# Who said a line, when, and how far they are trusted: read from the origins of the line.

_WORDS = frozenset({SourceClass.OWNER, SourceClass.PERSON})
_HANDS = frozenset({AuthorKind.PERSON, AuthorKind.AGENT})  # they write when it is said


def spoken(
    rows: Iterable[LineOrigin], owner: Owner | None, note: tuple[date, int] | None = None
) -> operations.Utterance:
    """Of one line of the memory of `owner`: the latest of what it stands on, as trusted as the
    weakest. `note`: date and line, where it is one of a daily note."""
    found = [_of_origin(row, owner, note) for row in rows]
    if not found:
        return operations.Utterance(_of_note(*note) if note else None)
    last = max(found, key=lambda one: one.said_at or datetime.min.replace(tzinfo=UTC))
    weight = min(one.weight for one in found)
    is_word = all(one.is_word for one in found)
    return replace(last, weight=weight, is_word=is_word)


def confirmed(said: operations.Utterance, at: datetime | None) -> operations.Utterance:
    """Who confirms a statement says it again."""
    return replace(said, said_at=at) if operations.is_later(at, said.said_at) else said


def _of_origin(
    row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None
) -> operations.Utterance:
    if row.author_kind == AuthorKind.PERSON or row.message is None:
        return _written(row, owner, note)
    message = row.message
    source = source_of_message(message.conversation, message)
    speaker = _speaker(message, row, source, owner)
    return operations.Utterance(
        _when(message, row, note), speaker, _weight(source), source in _WORDS, name_of(row)
    )


def _written(
    row: LineOrigin, owner: Owner | None, note: tuple[date, int] | None
) -> operations.Utterance:
    """What a person or a program wrote down by itself."""
    root, place = row.root, _place(row, note)
    kind = AuthorKind(root.author_kind if root else row.author_kind)
    source = SourceClass(root.source) if root else kind.source
    if owner is not None and source is SourceClass.OWNER:
        speaker = ""
    elif source in _WORDS or (owner is None and kind in _HANDS):
        speaker = _account(row)
    else:
        speaker = operations.NOBODY  # in one's own memory an agent, by whosever token
    at, line = place, note[1] if note else row.source_line or 0
    if root and kind in _HANDS and (place is None or place.date() == root.created_at.date()):
        at = root.created_at + timedelta(microseconds=line)
    return operations.Utterance(at, speaker, _weight(source), source in _WORDS, name_of(row))


def _speaker(message: Message, row: LineOrigin, source: SourceClass, owner: Owner | None) -> str:
    """A name tells people in one conversation apart; in shared memory the person does."""
    if source is SourceClass.THIRD_PARTY:
        return message.name or (_account(row) if owner is None else operations.NOBODY)
    if source not in _WORDS:
        return operations.NOBODY
    if owner is not None:
        return ""
    said_by = message.conversation.owner
    return f"user {said_by.person_id}" if said_by.person_id else f"owner {said_by.pk}"


def _account(row: LineOrigin) -> str:
    account = account_of(row)
    return f"user {account.pk}" if account else operations.NOBODY


def _when(message: Message, row: LineOrigin, note: tuple[date, int] | None) -> datetime | None:
    """A message's own time, if it has one; lines of one message were said in their order."""
    line = note[1] if note else row.source_line or 0
    return message.said_at and message.said_at + timedelta(microseconds=line)


def _place(row: LineOrigin, note: tuple[date, int] | None) -> datetime | None:
    if note is not None:
        return _of_note(*note)
    source = row.source_file
    return _of_note(source.note_date, row.source_line or 0) if source and source.note_date else None


def _of_note(on: date, line: int) -> datetime:
    return datetime.combine(on, time(), UTC) + timedelta(microseconds=line)


def _weight(source: SourceClass) -> int:
    return BY_TRUST.index(source)
