"""Everything that is kept about one owner at one agent: row after row, until none is left."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet, RestrictedError

from memoryweb.agents.models import Owner
from memoryweb.audit.erasure import erase_labels_of
from memoryweb.memory.forgetting import holds
from memoryweb.memory.models import LegalHold, Message, Receipt, Request, ReviewItem
from memoryweb.memory.models.review_items import drop_empty
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.writing.in_place import Memory
from memoryweb.runs.engine import Lease
from memoryweb.runs.models import Run

STEP, STEP_OF_MESSAGES = 20, 200  # rows, with all that hangs on them
# What waits goes with its cause.
_KEPT: Sequence[type[Model]] = (Receipt, LegalHold, Request, ReviewItem, Run)


def delete_some(lease: Lease, memory: Memory, after: Any) -> int | None:
    """A step; how many there were, and None at the end."""
    run = lease.run
    with write_transaction(run.team, run=run):
        lease.fence()
        if after is None:
            holds.begin(run)
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
    talk = Q(conversation__agent=memory.agent_id, conversation__owner=memory.owner_id)
    yield Message.objects.filter(talk), STEP_OF_MESSAGES
    for model in _models():
        yield model._default_manager.filter(_all_of(memory)), STEP


def _count(run: Run, by_model: Mapping[str, int]) -> None:
    counts = run.result["counts"]
    for label, n in by_model.items():
        counts[label] = counts.get(label, 0) + n


def _forget_asking(run: Run, memory: Memory) -> None:
    """What they asked to forget before, in their words; and the answers that are kept for repeated
    calls, which tell nobody whose they are. One that is still worked on has no text yet."""
    asked = Request.objects.of(memory.agent_id, memory.owner_id)
    asked.filter(pk__in=run.inputs["requests"]).empty_words()
    answers = apps.get_model("api", "Idempotency")._default_manager.filter(team=run.team_id)
    for rows in (asked.exclude(pk__in=run.inputs["requests"]), answers.exclude(body="")):
        _count(run, rows.delete()[1])


def count_left(lease: Lease, memory: Memory, _after: Any) -> None:
    run = lease.run
    asked = Request.objects.of(memory.agent_id, memory.owner_id)
    run.result["remaining"] += asked.with_words().count()
    run.result["scanned"][Request._meta.label] = Request.objects.filter(team=run.team_id).count()
    for model in _models():
        rows = model._default_manager.filter(_all_of(memory)).exclude(pk=run.pk)
        run.result["remaining"] += rows.count()
        run.result["scanned"][model._meta.label] = model._default_manager.filter(
            team=run.team_id
        ).count()


def close(tx: Transaction, owner: Owner) -> None:
    """Who it was, nobody knows any more, once the last agent has forgotten them."""
    waiting = Request.objects.filter(owner=owner, is_everything=True)
    if waiting.exclude(state=Request.State.ERASED).exists():
        return
    erase_labels_of(tx.team.pk, owner.pk)
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
    return Q(agent=memory.agent_id, owner=memory.owner_id)
