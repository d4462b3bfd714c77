"""The run that erases what was hidden for long enough, and proves that nothing is left.

Each step is a transaction of its own, so that others wait for none of them long. The very words
are kept with the run until the scan ends, also after a crash. Models say what is seen (`erasure`).
"""

import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Count, Min, Model, Q, QuerySet, RestrictedError
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.agents import one_time_codes
from memoryweb.agents.models import Agent, Owner, OwnerAddress
from memoryweb.audit import ledger
from memoryweb.audit.record import erase_labels_of, lock, target
from memoryweb.core.sqlite.base import truncate_log
from memoryweb.memory import models
from memoryweb.memory.forgetting import hiding, ledger_places, removal
from memoryweb.memory.forgetting.hiding import close, locked
from memoryweb.memory.forgetting.removal import PARTS, Removal
from memoryweb.memory.index import fulltext
from memoryweb.memory.models.review import drop_empty
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.visible.hidden import HiddenText, of_targets
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.memory.writing import in_place
from memoryweb.runs.engine import Lease, Outcome, Retry, enqueue
from memoryweb.runs.models import Run

KIND = Run.Kind.ERASURE
STEP_SECONDS = 20.0  # more than the longest step takes
_RECORDS = 500  # that are changed at once
_ALL = ""  # tables are looked through
_AFTER_FAILURE = timedelta(hours=1)
# Of a whole owner: rows that go at once, with all that hangs on them.
STEP, STEP_OF_MESSAGES = 20, 200
# What waits goes with its cause.
_KEPT: Sequence[type[Model]] = (
    models.Receipt,
    models.LegalHold,
    models.ForgetRequest,
    models.ReviewItem,
    Run,
)
_TRIES, _PAUSE = 20, 0.1  # of emptying the log, while others read


def erase_now(tx: Transaction, request: models.ForgetRequest, by: User | None = None) -> Run:
    """Without waiting any longer. Raises OnHold."""
    request = locked(request)
    hiding.check_hold(request.team_id, request.agent_id, request.owner_id)
    close(tx, request, models.ForgetRequest.State.HIDDEN, by, erase_at=tx.now)
    return queue(request.agent, request.owner, Run.Trigger.PERSON, by)


def erase_owner(tx: Transaction, owner: Owner, by: User | None = None) -> list[Run]:
    """All that is kept about them; from now on no link opens it. Raises OnHold."""
    hiding.check_hold(tx.team.pk, None, owner.pk)
    owner.keeping = owner.using = False
    owner.save(update_fields=["keeping", "using"])
    one_time_codes.withdraw(owner=owner, by=tx.actor)
    OwnerAddress.objects.filter(owner=owner).delete()
    asked = erase_later(tx, owner, timedelta(), by)
    return [queue(one.agent, one.owner, Run.Trigger.PERSON, by) for one in asked]


def erase_later(
    tx: Transaction, owner: Owner, after: timedelta, by: User | None = None
) -> list[models.ForgetRequest]:
    """All that will be kept about them until then, and is used as anybody's."""
    tx.record("memory.erasure_requested", **target(owner), on_behalf_of=owner.pk)
    asked = [
        models.ForgetRequest(
            team=tx.team,
            agent=agent,
            owner=owner,
            via=models.ForgetRequest.Via.API,
            state=models.ForgetRequest.State.HIDDEN,
            is_everything=True,
            erase_at=tx.now + after,
            asked_by=by,
            created_at=tx.now,
        )
        for agent in Agent.objects.filter(team=tx.team)
    ]
    return models.ForgetRequest.objects.bulk_create(asked)


def queue_due(now: datetime) -> None:
    """Once a minute: what is due, one run for each memory. What has failed waits for an hour."""
    due = _due_at(now)
    ended = Run.objects.filter(kind=KIND, finished_at__gt=now - _AFTER_FAILURE)
    rows = list(ended.values_list("agent", "owner", "status", "finished_at"))
    seen: set[tuple[UUID, UUID | None]]
    seen = {(agent, owner) for agent, owner, status, _at in rows if status == Run.Status.FAILED}
    for request in due.select_related("agent", "owner").order_by("erase_at"):
        if (key := (request.agent_id, request.owner_id)) not in seen:
            seen.add(key)
            queue(request.agent, request.owner)
    if any(at and at > now - hiding.LOG_EMPTIED for *_run, at in rows):
        truncate_log()


def overdue(now: datetime) -> tuple[int, datetime | None]:
    """How many requests of all teams wait to be erased, and since when the oldest."""
    with scopes_disabled():
        found = _due_at(now).aggregate(n=Count("pk"), since=Min("erase_at"))
    return found["n"], found["since"]


def _due_at(now: datetime) -> "QuerySet[models.ForgetRequest]":
    hidden = models.ForgetRequest.State.HIDDEN
    return models.ForgetRequest.objects.filter(state=hidden, erase_at__lte=now)


def erase(lease: Lease) -> None:
    """The handler of runs of kind `erasure`; goes on from the step that it stood at. A hold stops
    it between two steps."""
    run = lease.run
    memory = Memory(run.agent, run.owner)
    if not run.inputs and not _begin(lease, memory):
        return
    try:
        _go(lease, memory)
    except hiding.ChangedMeanwhile:
        lease.store(Run.Phase.INPUTS, inputs={}, checked=None)
        erase(lease)
        return
    except hiding.OnHold:
        _stop(lease)
        return
    _end(lease)
    for _turn in range(_TRIES):
        if truncate_log():
            break
        time.sleep(_PAUSE)


def _go(lease: Lease, memory: Memory) -> None:
    run = lease.run
    cursor = run.checked or {"step": 0, "after": None}
    steps = _steps(run)
    while cursor["step"] < len(steps):
        lease.make_room(STEP_SECONDS)
        if run.checked:
            hiding.check_hold(run.team_id, run.agent_id, run.owner_id)
        after = steps[cursor["step"]](lease, memory, cursor["after"])
        cursor = {"step": cursor["step"] + (after is None), "after": after}
        lease.advance(Run.Phase.CHECKED, checked=cursor, result=run.result)


def queue(
    agent: Agent, owner: Owner | None, trigger: str = Run.Trigger.CRON, by: User | None = None
) -> Run:
    return enqueue(agent=agent, owner=owner, kind=KIND, trigger=trigger, user=by).run


def _begin(lease: Lease, memory: Memory) -> bool:
    """What goes, frozen with the run; False where the run has ended with that."""
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        due = list(_due(memory, tx.now))
        if due and hiding.is_held(run.team_id, run.agent_id, run.owner_id):
            _hold(lease, tx, [request.pk for request in due])
            return False
        if not due:
            lease.finish(Outcome(Run.Status.SKIPPED, "nothing_to_erase"), record=tx.record)
            return False
        lease.advance(Run.Phase.INPUTS, inputs=_inputs(due), result=_result(due), checked=None)
    return True


def _stop(lease: Lease) -> None:
    """What is gone is gone. The run keeps the words, for the one that goes on after the hold."""
    with write_transaction(lease.run.team, run=lease.run) as tx:
        _hold(lease, tx, lease.run.inputs["requests"])


def _hold(lease: Lease, tx: Transaction, requests: Collection[Any]) -> None:
    models.ForgetRequest.objects.filter(pk__in=requests).update(
        state=models.ForgetRequest.State.HELD
    )
    lease.finish(Outcome(Run.Status.SKIPPED, "legal_hold"), record=tx.record)


def _due(memory: Memory, now: datetime) -> Iterator[models.ForgetRequest]:
    rows = models.ForgetRequest.objects.of(*memory.key)
    due = rows.filter(state=models.ForgetRequest.State.HIDDEN, erase_at__lte=now)
    return due.select_related("run").iterator()


def _inputs(due: Sequence[models.ForgetRequest]) -> dict[str, Any]:
    keys = [request.pk for request in due]
    targets = list(
        models.Target.objects.filter(request__in=keys, is_hidden=True).select_related(
            "fact", "file", "message"
        )
    )
    # A run that failed halfway has taken out what the targets said: it still knows the words.
    before = [request.run.inputs for request in due if request.run and request.run.inputs]
    texts = [text for inputs in before for text in inputs["texts"]]
    found = {str(key): set(prints) for key, prints in of_targets(targets).prints.items()}
    for key, prints in (pair for inputs in before for pair in inputs["prints"].items()):
        found.setdefault(key, set()).update(prints)
    said = list(dict.fromkeys([*texts, *removal.texts_of(targets)]))
    texts = list(dict.fromkeys([*said, *removal.words_of(due)]))
    names = [name for inputs in before for name in inputs.get("names", ())]
    return {
        "requests": [str(key) for key in keys],
        "texts": texts,
        "names": list(dict.fromkeys([*names, *removal.names_of(due, targets, said)])),
        "prints": {key: sorted(prints) for key, prints in found.items()},
        "places": [
            *(place for inputs in before for place in inputs.get("places", ())),
            *ledger_places.places_of(Memory(due[0].agent, due[0].owner), targets),
        ],
        "whole": any(request.is_everything for request in due),
    }


def _result(due: Sequence[models.ForgetRequest]) -> dict[str, Any]:
    """What runs took out that did not come to their end counts."""
    counts: Counter[str] = Counter()
    for run in {request.run for request in due if request.run}:
        counts.update(run.result.get("counts", {}))
    return {"counts": counts, "scanned": {}, "remaining": 0, "done": 0, "total": 0}


def _going(run: Run, memory: Memory, targets: Collection[models.Target] = ()) -> Removal:
    frozen = {UUID(key): frozenset(found) for key, found in run.inputs["prints"].items()}
    hidden = of_targets(targets) if targets else HiddenText(prints=frozen)
    return Removal(memory, hidden, _sought(run))


def _sought(run: Run) -> Sought:
    return Sought(run.inputs["texts"], run.inputs.get("names", ()))


def _steps(run: Run) -> list[Any]:
    if run.inputs["whole"]:
        return [delete_some, _merge, count_left, _to_ledger]
    return [_take_out, _from_past, _from_diary, _from_records, _merge, _scan, _to_ledger]


def _take_out(lease: Lease, memory: Memory, after: Any) -> Any:
    """Out of what is current, some of it at a time. What waits for its turn stays hidden: nobody
    ever sees half of it. `after` is what is left, by its keys."""
    run = lease.run
    sought = _sought(run)
    left = after or {
        name: removal.hits(table, memory, sought) for name, (_take, _most, table) in PARTS.items()
    }
    with write_transaction(run.team, run=run) as tx:
        lease.fence()
        its = models.Target.objects.filter(request__in=run.inputs["requests"], is_hidden=True)
        if after is None:
            hiding.begin_erasing(run)
            removal.begin(tx, _going(run, memory))
            models.ForgetRequest.objects.filter(pk__in=run.inputs["requests"]).empty_words()
            return {name: _keys([*keys, *_meant(its, name)]) for name, keys in left.items()}
        part = next((name for name in PARTS if left[name]), None)
        if part is None:
            its.model.objects.filter(request__in=run.inputs["requests"]).delete()
            return None
        take, most, _table = PARTS[part]
        keys = left[part][:most]
        said = its.filter(message__in=keys) if part == "messages" else its.none()
        going = _going(run, memory, said)
        take(tx, going, keys)
        said.delete()  # where it stood, other words stand now
        _count(run, going.counts)
        lease.store(Run.Phase.APPLIED, result=run.result)
    return {**left, part: left[part][most:]}


def _meant(targets: "QuerySet[models.Target]", part: str) -> list[Any]:
    name = part.removesuffix("s")
    return list(targets.exclude(**{name: None}).values_list(name, flat=True))


def _keys(keys: Sequence[Any]) -> list[Any]:
    return list(dict.fromkeys(map(_plain, keys)))


def _from_past(lease: Lease, memory: Memory, after: Any) -> str | None:
    """One file's revisions after the other, of those that ever held it."""
    run = lease.run
    going = _going(run, memory)
    held = removal.hits(removal.PAST, memory, going.sought)
    wrote = models.Revision.objects.filter(pk__in=held).values("file")
    rows = models.File.objects.filter(Q(pk__in=wrote) | Q(pk__in=going.hidden.prints)).order_by(
        "pk"
    )
    file = (rows.filter(pk__gt=after) if after else rows).only("pk", "team").first()
    if file is None:
        return None
    with write_transaction(run.team, run=run):
        _count(run, {"revisions": removal.take_out_of_past(file, going)})
    return str(file.pk)


def _from_diary(lease: Lease, memory: Memory, _after: Any) -> None:
    """The shared memory's own, where it quotes what stands in a private one."""
    run = lease.run
    going, keys = removal.in_diaries(memory, Sought(run.inputs["texts"]))
    for key in keys:
        with write_transaction(run.team, run=run) as tx:
            lease.fence()
            removal.take_files(tx, going, [key])
            _count(
                run, {"revisions": removal.take_out_of_past(models.File.objects.get(pk=key), going)}
            )
            lease.store(Run.Phase.APPLIED, result=run.result)


def _from_records(lease: Lease, memory: Memory, _after: Any) -> None:
    """Diaries, reports, candidates, stored answers and whatever else repeats it."""
    run = lease.run
    for table, of, sought in removal.records(memory, _sought(run)):
        hits = [pk for pk in removal.hits(table, of, sought) if pk != run.pk]
        while hits:
            some, hits = hits[:_RECORDS], hits[_RECORDS:]
            with write_transaction(run.team, run=run):
                lease.fence()
                _count(run, {"records": removal.scrub(table, some, sought)})
                lease.store(Run.Phase.APPLIED, result=run.result)
    with write_transaction(run.team, run=run):
        removal.empty_answers(memory)
        lease.store(Run.Phase.APPLIED, inputs=run.inputs, checked=run.checked)


def _merge(_lease: Lease, _memory: Memory, after: Any) -> bool | None:
    return fulltext.merge(begun=bool(after))


def _scan(lease: Lease, memory: Memory, after: Any) -> dict[str, Any] | None:
    """Some rows of one table, of the whole team: what is left of this memory counts, and of what
    quotes it."""
    run, sought = lease.run, _sought(lease.run)
    tables = {table.label: table for table in in_place.tables()}
    if not after or after["table"] not in {*tables, _ALL}:  # another version has other tables
        total = sum(table.rows(run.team_id).count() for table in tables.values())
        run.result |= {"scanned": {}, "remaining": 0, "done": 0, "total": total}
        after = {"table": min(tables), "last": None}
    if after["table"] == _ALL:
        if n := removal.identities(memory, sought):
            run.result["remaining"] += n
            _count(run, {"identity": n})
        for table, of, quoted in removal.records(memory, sought):
            run.result["remaining"] += 0 if of == memory else len(removal.hits(table, of, quoted))
        return None
    table = tables[after["table"]]
    count, hits, last = removal.found(table, table.rows(run.team_id), sought, after["last"])
    if hits:
        left = table.rows(run.team_id).filter(table.within(memory), pk__in=hits)
        run.result["remaining"] += left.exclude(pk=run.pk).count()
    run.result["done"] += count
    scanned = run.result["scanned"]
    scanned[table.label] = scanned.get(table.label, 0) + count
    if last is not None:
        return {"table": table.label, "last": _plain(last)}
    left_over = [label for label in tables if label > table.label]
    return {"table": min(left_over, default=_ALL), "last": None}


def _to_ledger(lease: Lease, memory: Memory, after: Any) -> str | None:
    """Outside the database, before a receipt says that it is erased; ours first, and without the
    lock of all writers the second place, which may be far."""
    run = lease.run
    try:
        if after is None:
            with write_transaction(run.team, run=run) as tx:
                lease.fence()
                head = lock(run.team_id)
                ledger.write(head, tx.now, ledger_places.entry_of(run, memory, head.seq))
            return "written"
        run.result["in_ledger"] = ledger.deliver(run.team_id)
    except ledger.LedgerUnavailable as problem:
        raise Retry("ledger_unavailable", error=str(problem), costs=False) from problem
    return None


def _end(lease: Lease) -> None:
    run = lease.run
    with write_transaction(run.team, run=run) as tx:
        lease.fence()
        result = run.result
        for request in models.ForgetRequest.objects.filter(pk__in=run.inputs["requests"]):
            close(tx, request, models.ForgetRequest.State.ERASED, request.decided_by)
            request.run = run
            request.save(update_fields=["run"])
            hiding.give_receipt(tx, run, request)
        if run.inputs["whole"] and run.owner:
            _close_owner(tx, run.owner)
        lease.store(Run.Phase.APPLIED, inputs={}, checked=None)
        left = result["remaining"]
        status = Run.Status.NEEDS_REVIEW if left else Run.Status.SUCCEEDED
        lease.finish(Outcome(status, "residue" if left else "", result=result), record=tx.record)


# Everything that is kept about one owner at one agent: row after row, until none is left.


def delete_some(lease: Lease, memory: Memory, after: Any) -> int | None:
    """A step; how many there were, and None at the end."""
    run = lease.run
    with write_transaction(run.team, run=run):
        lease.fence()
        if after is None:
            hiding.begin_erasing(run)
        for rows, most in _tables(memory):
            keys = list(rows.exclude(pk=run.pk).values_list("pk", flat=True)[:most])
            if not keys:
                continue
            try:
                count, by_model = rows.model._default_manager.filter(pk__in=keys).delete()
            except RestrictedError:
                continue  # another table's turn comes first
            _count(run, by_model)
            drop_empty()
            return int(after or 0) + int(count)
        _forget_asking(run, memory)
    return None


def _tables(memory: Memory) -> Iterator[tuple["QuerySet[Any]", int]]:
    """And how much of each goes at once. Messages first: a conversation may have any number."""
    talk = Q(conversation__agent=memory.agent, conversation__owner=memory.owner)
    yield models.Message.objects.filter(talk), STEP_OF_MESSAGES
    for model in _models():
        yield model._default_manager.filter(_all_of(memory)), STEP


def _forget_asking(run: Run, memory: Memory) -> None:
    """What they asked to forget before, in their words; and the answers that are kept for repeated
    calls, which tell nobody whose they are. One that is still worked on has no text yet."""
    asked = models.ForgetRequest.objects.of(*memory.key)
    asked.filter(pk__in=run.inputs["requests"]).empty_words()
    answers = apps.get_model("api", "Idempotency")._default_manager.filter(team=run.team_id)
    for rows in (asked.exclude(pk__in=run.inputs["requests"]), answers.exclude(body="")):
        _count(run, rows.delete()[1])


def count_left(lease: Lease, memory: Memory, _after: Any) -> None:
    run = lease.run
    asked = models.ForgetRequest.objects.of(*memory.key)
    run.result["remaining"] += asked.with_words().count()
    run.result["scanned"][models.ForgetRequest._meta.label] = models.ForgetRequest.objects.filter(
        team=run.team_id
    ).count()
    for model in _models():
        rows = model._default_manager.filter(_all_of(memory)).exclude(pk=run.pk)
        run.result["remaining"] += rows.count()
        run.result["scanned"][model._meta.label] = model._default_manager.filter(
            team=run.team_id
        ).count()


def _close_owner(tx: Transaction, owner: Owner) -> None:
    """Who it was, nobody knows any more, once the last agent has forgotten them."""
    waiting = models.ForgetRequest.objects.filter(owner=owner, is_everything=True)
    if waiting.exclude(state=models.ForgetRequest.State.ERASED).exists():
        return
    erase_labels_of(tx.team.pk, owner.pk)
    OwnerAddress.objects.filter(owner=owner).delete()
    owner.external_id, owner.integration, owner.person = f"erased-{owner.pk.hex}", None, None
    owner.save(update_fields=["external_id", "integration", "person"])


def _models() -> list[type[Model]]:
    """What belongs to an agent and an owner; the rest hangs on it. Runs last: others cite them."""
    found = [
        model
        for model in apps.get_models()
        if {"team", "agent", "owner"} <= {field.name for field in model._meta.concrete_fields}
        and model not in _KEPT
    ]
    return [*found, Run]


def _all_of(memory: Memory) -> Q:
    return Q(agent=memory.agent, owner=memory.owner)


def _count(run: Run, counts: Any) -> None:
    kept = run.result["counts"]
    for name, count in counts.items():
        kept[name] = kept.get(name, 0) + count


def _plain(key: Any) -> Any:
    return str(key) if isinstance(key, UUID) else key
