"""Archives damaged at random: each is read or refused, none raises anything else."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.contents import FileToPack, sort_out, write
from memoryweb.memory.snapshots.reading import MAX_ENTRY, MAX_TOTAL, read
from tests.pace import assert_linear
from tests.snapshots.archives import NOTE, STORED, Part, described, zipped

COUNT = 5_000


def test_5000_mutated_archives_are_read_or_refused() -> None:
    outcomes = {"read": 0, "refused": 0}
    for raw in mutated(COUNT):
        try:
            entries = read(raw)
            sort_out(entries)
        except ArchiveRefused:
            outcomes["refused"] += 1
        else:
            outcomes["read"] += 1
            assert max((len(entry.data) for entry in entries), default=0) <= MAX_ENTRY
            assert sum(len(entry.data) for entry in entries) <= MAX_TOTAL
    assert sum(outcomes.values()) == COUNT
    assert outcomes["refused"] > COUNT // 2


@pytest.mark.parametrize("mark", [b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"])
def test_marks_again_and_again_are_refused_in_the_time_of_one_pass(mark: bytes) -> None:
    def refuse(raw: bytes) -> None:
        with pytest.raises(ArchiveRefused):
            read(raw)

    assert_linear(refuse, lambda times: mark * times)


def mutated(count: int) -> Iterator[bytes]:
    chosen = random.Random(20261120)
    seeds = _seeds()
    for _number in range(count):
        raw = bytearray(chosen.choice(seeds))
        for _turn in range(chosen.choice((1, 1, 1, 2, 4, 16))):
            chosen.choice(_MUTATIONS)(chosen, raw)
        yield bytes(raw)


def _seeds() -> list[bytes]:
    when = datetime(2026, 11, 20, tzinfo=UTC)
    names = ["MEMORY.md", "SOUL.md", *(f"memory/2026-11-{day:02}.md" for day in range(1, 9))]
    ours = [FileToPack(name, NOTE * (number + 1), when) for number, name in enumerate(names)]
    return [
        write(ours, agent={"name": "Atlas"}, owner="shared"),
        zipped(Part(), described(), Part("memory/2026-11-20.md", NOTE.encode(), method=STORED)),
        zipped(Part("work/", b""), Part("work/USER.md"), Part("work/日.md")),
    ]


def _flip(chosen: random.Random, raw: bytearray) -> None:
    if raw:
        raw[chosen.randrange(len(raw))] ^= 1 << chosen.randrange(8)


def _overwrite(chosen: random.Random, raw: bytearray) -> None:
    at = chosen.randrange(len(raw) + 1)
    raw[at : at + 4] = chosen.choice(
        (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x01\0\0\0", b"PK\x05\x06", b"PK\x01\x02", b"../x")
    )


def _remove(chosen: random.Random, raw: bytearray) -> None:
    at = chosen.randrange(len(raw) + 1)
    del raw[at : at + chosen.randrange(1, 40)]


def _insert(chosen: random.Random, raw: bytearray) -> None:
    at = chosen.randrange(len(raw) + 1)
    raw[at:at] = chosen.randbytes(chosen.randrange(1, 40))


def _repeat(chosen: random.Random, raw: bytearray) -> None:
    at, to = chosen.randrange(len(raw) + 1), chosen.randrange(len(raw) + 1)
    raw[to:to] = raw[at : at + chosen.randrange(1, 200)]


def _cut(chosen: random.Random, raw: bytearray) -> None:
    del raw[chosen.randrange(len(raw) + 1) :]


_MUTATIONS = (_flip, _flip, _overwrite, _overwrite, _remove, _insert, _repeat, _cut)
