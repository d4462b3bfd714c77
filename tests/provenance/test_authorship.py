"""Who wrote each line, against a reference that simply remembers it."""

import random
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from memoryweb.memory.lines.history import authorship, blame_of
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Transaction, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, delete, rename, restore, write
from tests.soaking import first_in_gate
from tests.world import World

State = dict[str, int]  # line → the revision that brought it; no two lines are alike
_WRITERS = (Writer(AuthorKind.PERSON), Writer(AuthorKind.IMPORT), Writer(AuthorKind.SYSTEM))


class Story:
    """A file that is edited at random, and what is remembered of each of its revisions."""

    def __init__(self, world: World, seed: int) -> None:
        self.random = random.Random(seed)
        self.place = Place(world.agent, None, "KNOWLEDGE.md")
        self.words = (f"- line {number}" for number in count())
        self.states: dict[int, State] = {}

    def step(self, tx: Transaction) -> None:
        acts: list[Callable[[Transaction], None]] = [
            self.rewrite,
            self.rewrite,
            self.append,
            self.restore,
            self.delete,
            self.rename,
        ]
        self.random.choice(acts if self.states else acts[:1])(tx)

    def rewrite(self, tx: Transaction) -> None:
        """Lines go, come, move; one that had gone may be typed again and is then a new one."""
        before = list(self.now)
        lines = [line for line in before if self.random.random() < 0.7]
        if self.random.random() < 0.3:
            self.random.shuffle(lines)
        gone = [line for state in self.states.values() for line in state if line not in before]
        fresh = [next(self.words) for _turn in range(self.random.randrange(1, 5))]
        for line in [*fresh, *self.random.sample(gone, min(len(gone), 1))]:
            if line not in lines:
                lines.insert(self.random.randrange(len(lines) + 1), line)
        written = write(tx, self.place, "".join(f"{one}\n" for one in lines), writer=self.writer)
        self.keep(written.file, lines)

    def append(self, tx: Transaction) -> None:
        lines = [next(self.words) for _turn in range(self.random.randrange(1, 4))]
        new = [NewLine(line) for line in lines]
        written = append(tx, self.place, new, writer=self.writer)
        self.keep(written.file, [*self.now, *lines])

    def restore(self, tx: Transaction) -> None:
        texts = Revision.objects.filter(file=self.file, is_deletion=False)
        number = self.random.choice(list(texts.values_list("number", flat=True)))
        written = restore(tx, self.file, number, writer=self.writer)
        if written.changed:
            old, now = self.states[number], self.now
            known = {line: now.get(line, since) for line, since in old.items()}
            self.states[written.file.revision] = known

    def delete(self, tx: Transaction) -> None:
        if self.file.deleted_at is None:
            delete(tx, self.file, writer=self.writer)
            self.states[self.file.revision] = {}

    def rename(self, tx: Transaction) -> None:
        if self.file.deleted_at is None:
            path = f"structured/story-{self.file.revision}.md"
            rename(tx, self.file, path, writer=self.writer)
            self.place = Place(self.place.agent, None, path)
            self.states[self.file.revision] = dict(self.now)

    def keep(self, file: File, lines: list[str]) -> None:
        now = self.now
        self.states[file.revision] = {line: now.get(line, file.revision) for line in lines}

    @property
    def now(self) -> State:
        return self.states[max(self.states)] if self.states else {}

    @property
    def file(self) -> File:
        return File.objects.get(agent=self.place.agent, owner=None, path=self.place.path)

    @property
    def writer(self) -> Writer:
        return self.random.choice(_WRITERS)


@pytest.mark.parametrize("seed", first_in_gate(2, range(5)))
def test_every_revision_tells_what_a_reference_remembers(world: World, seed: int) -> None:
    story = Story(world, seed)
    for _turn in range(25):
        with write_transaction(world.team) as tx:
            story.step(tx)
    file = story.file
    for number, state in story.states.items():
        assert _told(file, number) == state, number
    for number in story.states:
        assert "\n".join(authorship(file, number).lines) == content_of(file, number)


def _told(file: File, number: int) -> State:
    lines = content_of(file, number).split("\n")
    return dict(_pairs(lines, blame_of(file, number)))


def _pairs(lines: list[str], brought: list[int]) -> Iterator[tuple[str, int]]:
    for line, since in zip(lines, brought, strict=True):
        if line.strip():
            yield line, since
