"""Previews of 500 entries, small and as large as may be, into a new and into a full memory."""

import io
import random
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from django.db import connection
from django_scopes import scope

from memoryweb.accounts.teams import create_team
from memoryweb.agents.models import Agent
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.snapshots import service as snapshots

MIB = 1024 * 1024
ROUNDS = 15

BY = Writer(AuthorKind.IMPORT)


def run() -> None:
    print(f"Database: {connection.vendor}")
    team = create_team(name="Bench", by=SYSTEM)
    with scope(team=team):
        for size in (2_000, 33_000):
            archive = _archive(size)
            with write_transaction(team) as tx:
                agent = create_agent(tx, name=f"of {size}")
            _compare(f"500 entries of {size // 1000} kB, new", agent, archive)
        small = _archive(2_000)
        with write_transaction(team) as tx:
            agent = create_agent(tx, name="full")
        started = time.perf_counter()
        token = snapshots.preview(Memory(agent, None), small, by=BY).token
        with write_transaction(team) as tx:
            snapshots.apply(tx, Memory(agent, None), small, token, by=BY)
        print(f"{'Import of 500 entries of 2 kB':<44}{time.perf_counter() - started:9.1f} s")
        _compare("500 entries of 2 kB, all here", agent, small)
        _compare("500 entries of 2 kB, all changed", agent, _archive(2_000, seed=2))


def _compare(name: str, agent: Agent, archive: bytes) -> None:
    """Turn by turn, so that both have the same machine; the best of each."""
    inflate, preview = partial(_inflated, archive), partial(_preview, agent, archive)
    inflate(), preview()
    turns = [(_seconds(inflate), _seconds(preview)) for _turn in range(ROUNDS)]
    base, cost = (min(column) for column in zip(*turns, strict=True))
    print(
        f"{name:<44}{base * 1000:9.1f} ms inflating{cost * 1000:9.1f} ms preview"
        f"{cost / base:7.2f} times{_peak(preview) / MIB:7.1f} MiB"
    )


def _archive(size: int, seed: int = 1) -> bytes:
    chosen = random.Random(seed)
    words = [
        "".join(chosen.choices("etaoinshrdlucmf", k=chosen.randint(2, 9))) for _ in range(4000)
    ]
    names = ["AGENTS.md", "MEMORY.md", "PROFILE.md", "SOUL.md"]
    names += [f"memory/{date(2024, 1, 1) + timedelta(number)}.md" for number in range(496)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            lines, left = [], size
            while left > 0:
                lines.append(f"- {' '.join(chosen.choices(words, k=12))}.")
                left -= len(lines[-1]) + 1
            archive.writestr(name, "\n".join(lines)[:size])
    return out.getvalue()


def _inflated(archive: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return sum(len(opened.read(info)) for info in opened.infolist())


def _preview(agent: Agent, archive: bytes) -> int:
    return len(snapshots.preview(Memory(agent, None), archive, by=BY).plan.items)


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _peak(act: Callable[[], object]) -> int:
    tracemalloc.start()
    act()
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
