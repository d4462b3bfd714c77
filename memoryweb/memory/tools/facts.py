"""Statements as an agent asks for them: by a question, by whom they are about, by their type."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Integration, Token
from memoryweb.agents.models import Agent, Owner, Reader, reading
from memoryweb.audit.record import target
from memoryweb.language.normal_form import normalise
from memoryweb.language.secrets import in_names
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, Injection
from memoryweb.memory.models.refusals import ContentRefused, FileMissing, MemoryRefused
from memoryweb.memory.models.writer import Transaction, Writer, write_transaction
from memoryweb.memory.prompt import Line, Span
from memoryweb.memory.search import (
    LOOKED_AT,
    WeighedFact,
    answering,
    found_with,
    known,
    taken_back,
    told,
)
from memoryweb.memory.statements import moves
from memoryweb.memory.statements.bullets import bullets_of, statements_of
from memoryweb.memory.statements.listing import lines_of, saying
from memoryweb.memory.statements.moves import Departure
from memoryweb.memory.statements.validity import today
from memoryweb.memory.tools import files
from memoryweb.memory.tools.files import Acting
from memoryweb.memory.visible.hidden import remembered_of
from memoryweb.memory.writing import tombstones, write
from memoryweb.memory.writing.screening import with_each_text
from memoryweb.memory.writing.write import NewLine
from memoryweb.runs.engine import Lease, Outcome, enqueue
from memoryweb.runs.models import Run

STRUCTURED = "structured/"


def search_facts(
    acting: Acting, query: str, limit: int, which: Q | None = None
) -> list[WeighedFact]:
    """Those that answer it, the best and most trusted first."""
    best = answering(acting.sees, acting.now, query, which)[:limit]
    _count(acting, query, best)
    return best


def probe(acting: Acting, entity: str, limit: int) -> list[WeighedFact]:
    """All that is known of somebody or something by that name, the most trusted first."""
    name = normalise(entity)
    about = Q(subject=name) | saying(entity.strip())
    with reading(acting.sees):
        rows = list(known(acting.sees, acting.now).filter(about)[:LOOKED_AT]) if name else []
    found = [found_with(fact, acting.now) for fact in rows]
    best = sorted(found, key=lambda one: -one.worth)[:limit]
    _count(acting, entity, best)
    return best


def structured(acting: Acting, kind: str, key: str) -> list[WeighedFact]:
    """What `structured/` holds, of a type and a key where they are named."""
    named = {"path": f"{STRUCTURED}{kind}.md"} if kind else {"path__startswith": STRUCTURED}
    named |= {"attribute": normalise(key)} if key.strip() else {}
    with reading(acting.sees):
        rows = list(known(acting.sees, acting.now).filter(file__isnull=False, **named))
    found = [found_with(fact, acting.now) for fact in rows]
    found.sort(key=lambda one: (one.fact.path, one.said.text))
    _count(acting, f"{kind} {key}", found)
    return found


def contradictions(acting: Acting, limit: int) -> list[Contradiction]:
    """Those that wait for a person, with the sides that may be told."""
    with reading(acting.sees):
        open_ = Contradiction.objects.filter(
            acting.sees.sees(), state=Contradiction.State.OPEN
        ).prefetch_related(
            Prefetch("facts", told(acting.sees).select_related("file", "owner", "agent"))
        )
        return list(open_.order_by("-created_at", "pk")[:limit])


def _count(acting: Acting, query: str, found: Iterable[WeighedFact]) -> None:
    """What was given of files, as of every tool."""
    standing = [(one.fact, one.said) for one in found if one.fact.file]
    places = {fact.file.pk: lines_of(fact.file) for fact, _said in standing}
    lines = [
        Line(fact.file, places[fact.file.pk][fact.fingerprint], said.text)
        for fact, said in standing
        if fact.fingerprint in places[fact.file.pk]
    ]
    spans = [Span(line.file, line.number, line.number) for line in lines]
    files.count(acting, query, lines, spans, via=Injection.Via.SEARCH)


# Statements of one owner by their ids: stated, reworded, and what was said of them before.

_FOLLOWED = 50  # statements that took the place of one another


def own(acting: Acting) -> "QuerySet[Any]":
    """What holds of this owner alone, what changed last first."""
    mine = known(acting.sees, acting.now).filter(owner=acting.reader.owner)
    return mine.order_by("-changed_at", "pk")


def search(acting: Acting, query: str, limit: int, which: Q | None = None) -> list[WeighedFact]:
    mine = Q(owner=acting.reader.owner)
    return search_facts(acting, query, limit, mine & which if which else mine)


def having(acting: Acting, metadata: Mapping[str, Any]) -> Q:
    """Of an owner's statements those with all of this metadata."""
    if not metadata:
        return Q()
    rows = own(acting).filter(metadata__isnull=False)
    return Q(pk__in=[one.pk for one in rows if _has(one.metadata, metadata)])


def counted(agent: Agent, program: Integration) -> list[tuple[Owner, int]]:
    """End users of a program of whom something holds, with how many statements."""
    living = Fact.objects.filter(agent=agent, owner__integration=program).living()
    told = remembered_of(living.exclude(taken_back()))
    counts = dict(told.values_list("owner").annotate(Count("pk")).order_by())
    owners = Owner.objects.filter(pk__in=counts).order_by("external_id")
    return [(owner, counts[owner.pk]) for owner in owners]


def current(acting: Acting, fact: Fact) -> Any:
    """As it holds now, or what took its place. None: nothing that may be told."""
    for _turn in range(_FOLLOWED):
        if fact.superseded_by_id is None:
            break
        fact = Fact.objects.of(fact.agent_id, fact.owner_id).get(pk=fact.superseded_by_id)
    return own(acting).filter(pk=fact.pk).first()


def values(fact: Fact) -> "QuerySet[Fact]":
    """What was said before it took its place, and itself, the earliest first."""
    told = Fact.objects.of(fact.agent_id, fact.owner_id).exclude(taken_back())
    told = remembered_of(told)
    chain = earlier = {fact.pk}
    for _turn in range(_FOLLOWED):
        earlier = {*told.filter(superseded_by__in=earlier).values_list("pk", flat=True)} - chain
        if not earlier:
            break
        chain = chain | earlier
    return told.filter(pk__in=chain).select_related("owner").order_by("created_at", "pk")


def check(texts: Iterable[str]) -> None:
    """Raises ContentRefused where there is nothing to state."""
    if not all(bullets_of(f"- {' '.join(text.split())}") for text in texts):
        raise ContentRefused(_("There is nothing to remember: the content is empty."))


def state(
    tx: Transaction, acting: Acting, texts: Sequence[str], *, writer: Writer
) -> list[Fact | None]:
    """Each a statement of its own in the owner's MEMORY.md, written at once. None where it may not
    be told as one."""
    said = {fingerprint(one): one for one in (" ".join(text.split()) for text in texts)}
    there = own(acting).filter(fingerprint__in=said)
    known = set(there.values_list("fingerprint", flat=True))
    if new := [text for key, text in said.items() if key not in known]:
        place = files.place_of(acting, "MEMORY.md")
        lines = [NewLine(f"- {text}", Origin(asked=True)) for text in new]
        write.append(tx, place, lines, writer=writer)
    found = {fact.fingerprint: fact for fact in there.all()}
    return [found.get(fingerprint(" ".join(text.split()))) for text in texts]


def reword(tx: Transaction, acting: Acting, fact: Fact, text: str, *, writer: Writer) -> Any:
    """The statement that takes its place. A person's word stays. Raises EditRefused."""
    said = " ".join(text.split())
    if fact.file is None or not bullets_of(f"- {said}"):
        raise ContentRefused(_("This can't be written in its place."))

    def change(shown: str) -> str:
        there = {one.print: one for one in statements_of(shown, fact.path)}
        if fact.fingerprint not in there:
            raise FileMissing(fact.path)
        one, lines = there[fact.fingerprint], shown.split("\n")
        lines[one.line - 1 : one.end] = [f"- {said}"]
        return "\n".join(lines)

    whys = moves.whys_of(fact, Departure(Fact.Why.SUPERSEDED, said))
    files.change_file(tx, acting, fact.path, change, writer=writer, whys=whys)
    return own(acting).filter(fingerprint=fingerprint(said)).first()


def _has(labels: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in labels and labels[name] == value for name, value in wanted.items())


MOST_METADATA = 2_000  # bytes of JSON


def describe(
    tx: Transaction,
    fact: Fact,
    *,
    metadata: Mapping[str, Any] | None = None,
    until: date | None = None,
) -> None:
    """What a program says of a statement beside its text: this is no part of it. Its last day only
    where no person said the statement. Raises ContentRefused, SecretRefused."""
    if until is not None:
        if fact.is_persons_word or until < today(tx.now, fact.agent.zone):
            raise ContentRefused(_("Choose a day that isn't over yet, of what no person wrote."))
        moves.remember(fact, until)
    if metadata is not None:
        _check_metadata(fact, metadata)
        fact.metadata = dict(metadata) or None
        fact.save(update_fields=["metadata"])
    if until or metadata is not None:
        tx.record("fact.edited", **target(fact), on_behalf_of=fact.owner_id)


def _check_metadata(fact: Fact, metadata: Mapping[str, Any]) -> None:
    text = json.dumps(metadata, ensure_ascii=False)
    if len(text.encode("utf-8", "replace")) > MOST_METADATA:
        raise ContentRefused(_("Metadata may have at most 2,000 bytes."))
    texts = [text]
    with_each_text(metadata, lambda one: texts.append(one) or one)  # type: ignore[func-returns-value]
    if any(map(in_names.holds_secret, texts)):
        raise ContentRefused(_("The metadata holds what looks like a secret. Take it out."))
    lines = "\n".join(texts[1:])
    if tombstones.of(fact.agent_id, fact.owner_id).kept_out(lines) != lines:
        raise ContentRefused(_("The metadata holds something that was to be forgotten."))


# Many statements that a program sends at once are written by a run, some at a time: nobody who
# writes waits longer than for those.

KIND = Run.Kind.STATEMENTS
SLICE = 50  # statements of one transaction; so many are also written while the caller waits
STEP_SECONDS = 60.0


def request(tx: Transaction, acting: Acting, texts: Sequence[str], *, writer: Writer) -> Run:
    """Accepted are all of them. What is sent while a run of that memory is at work joins it."""
    run = enqueue(
        agent=acting.reader.agent,
        owner=acting.reader.owner,
        kind=KIND,
        trigger=Run.Trigger.API,
        user=writer.user,
        integration=writer.integration,
    ).run
    sent = {"token": str(writer.token.pk) if writer.token else None, "texts": list(texts)}
    run.inputs = {"waiting": [*run.inputs.get("waiting", ()), sent]}
    run.save(update_fields=["inputs"])
    tx.record("run.requested", **target(run), on_behalf_of=run.owner_id, run_id=run.pk)
    return run


def write_all(lease: Lease) -> None:
    """The handler of runs of kind `statements`. What is written leaves what waits in the same
    transaction, so that a run that is taken over goes on right behind it. What is refused leaves
    it too: another token's texts may wait behind."""
    while not lease.finished:
        lease.make_room(STEP_SECONDS)
        try:
            _write_slice(lease)
        except MemoryRefused as refused:
            _pass_over(lease, refused)


def _write_slice(lease: Lease) -> None:
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        # Meanwhile more may have come, and something of it been erased.
        run.refresh_from_db(fields=["inputs", "result", "owner", "agent"])
        waiting, why = run.inputs.get("waiting"), _why_not(run)
        if not waiting or why:
            lease.store(Run.Phase.APPLIED, inputs={})
            lease.finish(_outcome(run, why), record=tx.record)
            return
        sent, *later = waiting
        acting = Acting(Reader(run.agent, run.owner), tx.now)
        now, rest = sent["texts"][:SLICE], sent["texts"][SLICE:]
        state(tx, acting, now, writer=_writer(run, sent["token"]))
        later = [sent | {"texts": rest}, *later] if rest else later
        done = run.result | {"done": run.result.get("done", 0) + len(now)}
        lease.advance(Run.Phase.INPUTS, inputs={"waiting": later}, result=done)


def _outcome(run: Run, why: str) -> Outcome:
    if refused := run.result.get("refused"):
        return Outcome(Run.Status.FAILED, *refused)
    return Outcome(Run.Status.SKIPPED if why else Run.Status.SUCCEEDED, why)


def _why_not(run: Run) -> str:
    if run.agent.archived_at is not None:
        return "archived"
    return "paused" if run.owner is not None and not run.owner.keeping else ""


def _writer(run: Run, token_id: str | None) -> Writer:
    """As whoever sent it, with a token that may be revoked by now: it was accepted before."""
    return Writer(
        AuthorKind.AGENT,
        user=run.user,
        integration=run.integration,
        token=Token.objects.filter(pk=token_id).first() if token_id else None,
        is_tool=True,
        speaker=run.owner,
    )


def _pass_over(lease: Lease, refused: MemoryRefused) -> None:
    run = lease.run
    with write_transaction(run.team, run=run):
        run.refresh_from_db(fields=["inputs", "result"])
        result = run.result | {"refused": [refused.code, str(refused)]}
        later = run.inputs["waiting"][1:]
        lease.advance(Run.Phase.INPUTS, inputs={"waiting": later}, result=result)
