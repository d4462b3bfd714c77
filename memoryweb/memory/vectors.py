"""Vectors of what agents remember, for teams with an embedding endpoint: made by a run of each
agent, in batches.

A vector is text. It lies in the row that holds its words and goes with it, whoever removes or
changes that. What is to be forgotten, and what is of somebody whose memory isn't used, is not sent;
that is looked at once more when vectors are written, and again in the agent's next run.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.db.models.functions import Coalesce

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import system_team_id
from memoryweb.agents.models import Agent, Owner
from memoryweb.core.row_batches import update
from memoryweb.language.secrets import credentials
from memoryweb.llm import choices, embedding
from memoryweb.llm.embedding import Vector
from memoryweb.llm.endpoint import Endpoint, is_local
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.models import OwnEndpoint, TeamEmbedding
from memoryweb.markdown.marks import without
from memoryweb.memory.index import indexing
from memoryweb.memory.models import Passage
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.visible.readable import without_hidden
from memoryweb.runs.engine import GiveUp, Lease, Outcome, enqueue
from memoryweb.runs.models import Run

KIND = Run.Kind.VECTORS
BATCH = 32  # texts of one call: an answer of 4 MiB holds them at 4,096 numbers each
CALL_SECONDS = 60.0
CLEARED = 500  # vectors of another endpoint that go at once
LAG = 10_000  # passages that a transaction may have begun to write before the newest
MOST_LEFT = 1_000  # passages that are looked at again
logger = logging.getLogger(__name__)


def queue_due(_now: datetime) -> None:
    """Once a minute: a run of each agent that has passages nobody has looked at."""
    for row in _rows():
        try:
            _queue(row)
        except ModelError:
            continue  # it may not be asked: nothing is sent, and its vectors are not used
        except Exception:
            logger.exception("The vectors of team %s could not be asked for.", row.team_id)


def _rows() -> list[TeamEmbedding]:
    """Of all teams. GLOBAL blocks get vectors for those that use the installation's endpoint."""
    rows = list(TeamEmbedding.objects.order_by("pk"))
    if not rows:
        return []
    system = system_team_id()
    teams = [row for row in rows if row.team_id != system]
    shared = next((row for row in rows if row.team_id == system), TeamEmbedding(team_id=system))
    is_used = any(row.choice == OwnEndpoint.Choice.INSTALLATION for row in teams)
    shared.choice = OwnEndpoint.Choice.INSTALLATION if is_used else OwnEndpoint.Choice.NONE
    return [*teams, shared]


def _queue(row: TeamEmbedding) -> None:
    name = embedding.name_of(choices.endpoint_of(row))
    is_same = row.made_for == name
    after = row.looked_at if is_same else 0
    if is_same and not _agents(row.team_id, after).exists():
        if (newest := _newest() - LAG) > after:
            TeamEmbedding.objects.filter(pk=row.pk).update(looked_at=newest)
        return
    # Whoever writes for this team has ended, and what is written later gets later numbers.
    with write_transaction(Team.objects.get(pk=row.team_id)):
        row.looked_at = _newest()
        for agent in Agent.objects.filter(pk__in=_agents(row.team_id, after)):
            enqueue(agent=agent, owner=None, kind=KIND, trigger=Run.Trigger.CRON)
        if not is_same:
            row.made_for, row.dimension = name, None
        row.save()


def _newest() -> int:
    return Passage.objects.aggregate(newest=Max("pk"))["newest"] or 0


def _agents(team_id: UUID, after: int) -> "QuerySet[Passage, Any]":
    agent = Coalesce("file__agent", "message__conversation__agent")
    rows = Passage.objects.filter(team=team_id, pk__gt=after).annotate(whose=agent)
    return rows.values("whose").distinct()


@dataclass(frozen=True)
class _Work:
    """`result`: the endpoint's name, and how far it has come: `seen` is the last passage, `again`
    are those of before it that are looked at first, `left` those that may not be sent now."""

    lease: Lease
    endpoint: Endpoint
    result: dict[str, Any]

    @property
    def passages(self) -> "QuerySet[Passage]":
        rows = Passage.objects.of_agent(self.lease.run.agent_id)
        return rows.filter(pk__gt=self.result["seen"]).order_by("pk")


def make(lease: Lease) -> None:
    """The handler of runs of kind `vectors`; goes on where it, or the agent's last one, stood."""
    row = TeamEmbedding.objects.get(team_id=lease.run.team_id)
    endpoint = choices.endpoint_of(row)
    name, result = embedding.name_of(endpoint), _begun(lease.run, row)
    if name != row.made_for:
        raise _changed()  # the next minute asks again
    if not result["seen"]:
        _clear(lease, row)
    agent = lease.run.agent
    if endpoint is None or _is_barred(agent, endpoint) or agent.archived_at:
        lease.finish(Outcome(Run.Status.NO_CHANGE, result={}))
        return
    work = _Work(lease, endpoint, result)
    while again := result["again"]:
        result["again"] = again[BATCH:]
        _batch(work, again[:BATCH], row.dimension)
    while not _is_finished(work):
        keys = list(work.passages.values_list("pk", flat=True)[:BATCH])
        result["seen"] = keys[-1] if keys else result["seen"]
        row.refresh_from_db(fields=["dimension"])
        _batch(work, keys, row.dimension)


def _is_barred(agent: Agent, endpoint: Endpoint) -> bool:
    return not is_local(endpoint.url) and agent.asks_local_only()


def _begun(run: Run, row: TeamEmbedding) -> dict[str, Any]:
    """How far this run has come, or the agent's last one with the same endpoint."""
    if run.result.get("name") == row.made_for:
        return dict(run.result)
    before = Run.objects.filter(agent=run.agent, kind=KIND, result__has_key="seen")
    last = before.exclude(pk=run.pk).order_by("-created_at").first()
    is_same = last and last.result["name"] == row.made_for and row.dimension is not None
    seen, left = (last.result["seen"], last.result["left"]) if last and is_same else (0, [])
    return {"name": row.made_for, "seen": seen, "again": left, "left": [], "made": 0}


def _clear(lease: Lease, row: TeamEmbedding) -> None:
    """What another endpoint made, which nothing is compared with any more."""
    space = embedding.space_of(row.made_for, row.dimension or 0)
    stale = Passage.objects.of_agent(lease.run.agent_id).filter(space__isnull=False)
    stale = stale.exclude(space=space)
    while keys := list(stale.values_list("pk", flat=True)[:CLEARED]):
        lease.make_room(CALL_SECONDS)
        with write_transaction(lease.run.team, run=lease.run):
            Passage.objects.filter(pk__in=keys).update(vector=None, space=None)
            lease.advance(Run.Phase.INPUTS)


def _is_finished(work: _Work) -> bool:
    """Nobody writes meanwhile, and what is written later asks for another run. Of an agent's runs
    the last one says how far they came."""
    if work.passages.exists():
        return False
    run, status = work.lease.run, Run.Status.SUCCEEDED
    with write_transaction(run.team, run=run) as tx:
        if work.passages.exists():
            return False
        if not work.result["made"]:
            status = Run.Status.NO_CHANGE
        earlier = Run.objects.filter(agent=run.agent, kind=KIND, finished_at__isnull=False)
        earlier.exclude(pk=run.pk).delete()
        work.lease.finish(Outcome(status, result=work.result), tx.record)
    return True


def _batch(work: _Work, keys: Sequence[int], dimension: int | None) -> None:
    """The calls come before the transaction; in it only what still says what was sent."""
    work.lease.make_room(CALL_SECONDS)
    run, nearness = work.lease.run, import_module("memoryweb.memory.index.nearness")
    texts, _left = _texts(keys)
    vectors: dict[int, Vector] = {}
    for of in _of_one_owner(texts):
        vectors |= _made(work, {key: texts[key][1] for key in of}, dimension)
    packed = {key: nearness.packed(vector) for key, vector in vectors.items()}
    with write_transaction(run.team, run=run):
        row = TeamEmbedding.objects.select_for_update().get(team_id=run.team_id)
        sizes = {len(vector) for vector in vectors.values()}
        if row.made_for != work.result["name"] or sizes - {row.dimension or max(sizes)}:
            raise _changed()
        now, left = _texts(keys)
        same = {key: one for key, one in packed.items() if now.get(key) == texts[key]}
        if same:
            row.dimension = max(sizes)
            row.save(update_fields=["dimension"])
            space = embedding.space_of(work.result["name"], row.dimension)
            rows = [Passage(pk=key, vector=one, space=space) for key, one in same.items()]
            update(rows, ("vector", "space"))
        left += [key for key in now if key not in texts]
        work.result["left"] = [*work.result["left"], *left][-MOST_LEFT:]
        work.result["made"] += len(same)
        spent = {"tokens_in": run.tokens_in, "cost_micros": run.cost_micros}
        work.lease.advance(Run.Phase.ANSWER, result=work.result, model=work.endpoint.model, **spent)


def _texts(keys: Sequence[int]) -> tuple[dict[int, tuple[UUID | None, str]], list[int]]:
    """Whose each is and what would be sent of it; and those of which nothing may be, for now."""
    rows = {row.pk: row for row in indexing.rows_of(keys)}
    owners = {row.owner_id for row in rows.values() if row.owner_id}
    paused = set(Owner.objects.filter(pk__in=owners, using=False).values_list("pk", flat=True))
    told = {k: row for k, row in without_hidden(rows).items() if row.owner_id not in paused}
    texts = {key: (row.owner_id, _text(row)) for key, row in told.items()}
    return {key: one for key, one in texts.items() if one[1]}, [k for k in rows if k not in told]


def _text(row: Passage) -> str:
    """With the headings above it, or who said it."""
    said = " ".join((without(row.said) if row.file_id else row.said).split())
    text = f"{row.trail}: {said}" if row.trail and said else said
    return credentials.mask(text)[0][: embedding.MOST_CHARACTERS]


def _of_one_owner(texts: dict[int, tuple[UUID | None, str]]) -> Iterator[list[int]]:
    """No call holds the texts of two."""
    order = sorted(texts, key=lambda key: (str(texts[key][0]), key))
    for _owner, keys in groupby(order, key=lambda key: texts[key][0]):
        yield list(keys)


def _made(work: _Work, texts: dict[int, str], dimension: int | None) -> dict[int, Vector]:
    """Without a text that the endpoint refuses, unless it refuses any."""
    found, waiting = dict[int, Vector](), [[*texts]]
    while waiting:
        keys = waiting.pop()
        try:
            vectors = _embedded(work, [texts[key] for key in keys], dimension)
        except ModelError as error:
            if not error.of_content:
                raise
            if half := len(keys) // 2:
                waiting += [keys[:half], keys[half:]]
            elif not found:
                _embedded(work, [embedding.TRIAL], dimension)
        else:
            found |= dict(zip(keys, vectors, strict=True))
    return found


def _embedded(work: _Work, texts: list[str], dimension: int | None) -> list[Vector]:
    run = work.lease.run
    if _is_barred(run.agent, work.endpoint):
        raise _changed()
    until = time.monotonic() + CALL_SECONDS
    limits: Any = {"daily_tokens": run.team.token_budget, "dimension": dimension}
    made, tokens = embedding.embed(run.team_id, work.endpoint, texts, deadline=until, **limits)
    run.tokens_in += tokens
    run.cost_micros += work.endpoint.cost_micros(tokens, 0)
    return made


def _changed() -> GiveUp:
    return GiveUp("endpoint_changed", status=Run.Status.SKIPPED)
