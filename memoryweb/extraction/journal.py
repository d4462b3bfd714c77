"""The shadow journaler: right after a turn a model of its own looks at it, with two tools, and
notes what is new. An agent's choice, beside extraction, which reads the same messages later."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from django.conf import settings
from django.db.models import F, Q, Sum
from django.utils import timezone
from pydantic import Field

from memoryweb.agents.models import Agent, Reader
from memoryweb.extraction import extractors, findings, pipeline, requests
from memoryweb.extraction.extractors import Part
from memoryweb.extraction.findings import ExtractedLine, ExtractionAnswer, Findings
from memoryweb.language.statement_comparison import covers
from memoryweb.llm import client, prompts
from memoryweb.llm.endpoint import Endpoint, endpoint_for
from memoryweb.llm.exceptions import ModelError
from memoryweb.llm.parsing import AnswerPart, Text
from memoryweb.memory import tools
from memoryweb.memory.conversations import Window, next_window
from memoryweb.memory.models import Conversation
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.memory.visible.hidden import asked_since
from memoryweb.memory.writing import screening
from memoryweb.runs.engine import Lease, Outcome
from memoryweb.runs.models import Run

SEARCHES = 2  # answers with a search
_SIZE = 10  # messages of a turn


class JournalAnswer(AnswerPart):
    """The two tools that it calls."""

    search: tuple[Annotated[Text, Field(max_length=200)], ...] = Field(default=(), max_length=3)
    remember: tuple[ExtractedLine, ...] = Field(default=(), max_length=5)


class _Look(NamedTuple):
    """At a turn. `reason`: why it was left alone."""

    reason: str
    part: Part | None = None
    found: Findings = Findings()


def journal(lease: Lease) -> None:
    """The handler of runs of kind `journal`: `inputs` are the turns that wait, oldest first; what
    comes meanwhile is read, too. What its model cannot read is left to extraction."""
    run = lease.run
    while not lease.finished:
        began, turn = timezone.now(), next(iter(_turns(run)), None)
        look = _look(lease, *turn) if turn else _Look("nothing_new")
        with write_transaction(run.team, run=run) as tx:
            lease.fence()
            reason, lines = _write(tx, run, look, began)
            left = [one for one in _turns(run) if one != turn]
            noted = run.result.get("lines", 0) + lines
            lease.advance(Run.Phase.APPLIED, inputs={"turns": left}, result={"lines": noted})
            if not left:
                done = Run.Status.SUCCEEDED if noted else Run.Status.NO_CHANGE
                done = Run.Status.SKIPPED if reason and not noted else done
                why = "" if noted else reason or "nothing_to_keep"
                lease.finish(Outcome(done, why), record=tx.record)


def _turns(run: Run) -> list[tuple[str, int]]:
    """As they are by now: whoever adds one holds the team's lock."""
    [inputs] = Run.objects.filter(pk=run.pk).values_list("inputs", flat=True)
    return list(inputs.get("turns", []))


def _look(lease: Lease, key: str, after: int) -> _Look:
    found = lease.run.agent.conversations.filter(pk=key, owner=lease.run.owner)
    talk = found.select_related("team", "agent", "owner__person").first()
    window = next_window(talk, size=_SIZE, after=after) if talk else None
    if talk is None or window is None or not window.turns or not talk.agent.shadow_journal:
        return _Look("nothing_new")
    if reason := requests.stopped(talk) or ("journal_budget" if _is_spent(talk.agent) else ""):
        return _Look(str(reason))
    try:
        return _Look("", (talk, window), _asked(lease, talk, window))
    except ModelError as error:
        lease.store(lease.run.phase, **lease.spent(error))
        if not error.of_content:
            raise
        return _Look(error.code)


def _write(tx: Transaction, run: Run, look: _Look, began: datetime) -> tuple[str, int]:
    """Why nothing was noted, and how many lines were."""
    if look.part is None:
        return look.reason, 0
    talk, window = look.part
    talk.refresh_from_db(fields=["ephemeral"])
    talk.owner.refresh_from_db(fields=["keeping"])
    if requests.stopped(talk) or asked_since(window.turns, began):
        return "paused", 0
    written = pipeline.write_lines(tx, run, talk, window, look.found)
    return "", sum(one["last"] - one["first"] + 1 for one in written if "last" in one)


def _is_spent(agent: Agent) -> bool:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    today = Q(finished_at=None) | Q(finished_at__gte=midnight)
    runs = Run.objects.filter(today, agent=agent, kind=Run.Kind.JOURNAL)
    used = runs.aggregate(n=Sum(F("tokens_in") + F("tokens_out")))["n"] or 0
    return bool(used >= agent.journal_tokens)


def _asked(lease: Lease, conversation: Conversation, window: Window) -> Findings:
    """Raises ModelError."""
    agent, found = conversation.agent, list[str]()
    memory = extractors.memory_of(conversation)
    acting = tools.Acting(Reader(agent, memory.owner), timezone.now())
    lines: list[ExtractedLine] = []
    for left in range(SEARCHES, -1, -1):
        lease.make_room(settings.EXTRACTION_TIMEOUT_SECONDS)
        data = {**extractors.turn_data(conversation, window), "found": found, "searches": left}
        said = client.complete(
            team_id=agent.team_id,
            role="journal",
            system=prompts.load("journal"),
            data=screening.data_for_prompt(data, agent.team_id, owner_id=memory.owner_id),
            schema=JournalAnswer,
            deadline=time.monotonic() + settings.EXTRACTION_TIMEOUT_SECONDS,
            daily_tokens=conversation.team.token_budget,
            endpoint=_endpoint(agent),
            local_only=agent.local_models_only,
        )
        lease.advance(Run.Phase.ANSWER, consolidator="model", model=said.model, **lease.spent(said))
        lines += said.value.remember
        if not (left and said.value.search):
            break
        for words in said.value.search:
            found += [one.snippet for one in tools.memory_search(acting, words)]
    return _new(conversation, window, lines)


def _endpoint(agent: Agent) -> Endpoint:
    """As it is by now. The price of a model of the agent's own isn't known."""
    found = endpoint_for(agent.team_id, "journal", local_only=agent.asks_local_only())
    if agent.journal_model in {"", found.model}:
        return found
    return replace(found, model=agent.journal_model, price_in=0, price_out=0)


def _new(conversation: Conversation, window: Window, lines: Sequence[ExtractedLine]) -> Findings:
    """What was said, as extraction would write it, so that it finds it there. Raises BadAnswer."""
    answer = ExtractionAnswer(should_update=True, reason="", lines=tuple(lines))
    owner, zone = extractors.speaker_of(conversation.owner), conversation.agent.zone
    found = findings.from_answer(answer, window, owner=owner, zone=zone)
    by_rules = extractors.by_rules(conversation, window).findings.lines

    def alike(text: str) -> Any:
        same = (it for it in by_rules if covers(it.text, text) or covers(text, it.text))
        return next(same, None)

    return Findings(tuple(alike(one.text) or one for one in found.lines))
