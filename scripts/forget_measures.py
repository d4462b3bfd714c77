"""What the benchmark of forgetting measures: one run of the erasure, and writes beside it."""

import random
import select
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django_scopes import scope, scopes_disabled

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import create_team
from memoryweb.agents.owners import system_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting import erasing, finding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import AuthorKind, Fact, ForgetRequest, Passage, Receipt
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.runs import engine
from scripts.search_measures import _add_others, _agent, _blocks, _settle

LINE = "Nobody but Zebulon knows where the heron nests."
BLOCKS, PAUSE = 20_000, 0.05


def build(passages: int) -> Team:
    team = create_team(name="Forgetting", by=SYSTEM)
    with scope(team=team):
        agent = _agent(team, "forgets")
        Passage.objects.bulk_create(_blocks(agent, random.Random(7), BLOCKS), batch_size=5000)
        _add_others(team, agent, BLOCKS, passages - BLOCKS)
        _settle()
        with write_transaction(team) as tx:
            place = Place(agent, None, "MEMORY.md")
            write.write(tx, place, f"# Memory\n\n- {LINE}\n", writer=Writer(AuthorKind.PERSON))
        _agent(team, "talks")
    return team


def forget(team: Team) -> tuple[float, Receipt, str]:
    """Seconds in all, the receipt, and what each step took."""
    with scope(team=team):
        fact = Fact.objects.select_related("agent", "owner", "file").get(raw_text=LINE)
        started = time.perf_counter()
        with write_transaction(team) as tx:
            asked = Wish(Memory(fact.agent, None), ForgetRequest.Via.PAGE)
            found = finding.of_facts(asked.memory, [fact])
            request = open_request(tx, asked)
            hide(tx, request, found.meant, seconds=0)
    spent = _timed()
    engine.tick(timezone.now() + timedelta(seconds=1))
    errors = [run.error for run in engine.run_pending()]
    took = time.perf_counter() - started
    assert not any(errors), errors
    told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in spent.items())
    with scopes_disabled():
        return took, Receipt.objects.get(request=request), told


def write_on(team_id: str) -> None:
    """Send messages until standard input says stop; then tell how long the slowest took."""
    with scopes_disabled():
        team = Team.objects.get(pk=team_id)
    took: list[float] = []
    with scope(team=team):
        agent, owner = team.agents.get(name="talks"), system_owner(team)
        print("writing", flush=True)
        while not select.select([sys.stdin], [], [], PAUSE)[0]:
            said = [NewMessage("user", f"Message {len(took)}.")]
            started = time.perf_counter()
            with write_transaction(team) as tx:
                add_messages(tx, agent=agent, owner=owner, conversation_id="talk", messages=said)
            took.append(time.perf_counter() - started)
    print(f"{len(took)} messages sent meanwhile, the slowest in {max(took):.2f} s")


def _timed() -> dict[str, float]:
    """Each step of the erasure, counted in seconds from now on."""
    spent: dict[str, float] = defaultdict(float)
    for name in ("_take_out", "_from_past", "_from_records", "_merge", "_scan"):
        setattr(erasing, name, _timing(getattr(erasing, name), name.strip("_"), spent))
    return spent


def _timing(step: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    def inner(*given: Any) -> Any:
        started = time.perf_counter()
        try:
            return step(*given)
        finally:
            spent[name] += time.perf_counter() - started

    return inner
