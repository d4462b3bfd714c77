"""Revisions that are kept as what came and went say what whole ones would, whatever is done."""

import random

import pytest
from django.db.models import Q

from memoryweb.memory.forgetting import removal
from memoryweb.memory.forgetting.removal import Removal
from memoryweb.memory.lines.revisions import contents_of
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.reverting import revert
from memoryweb.memory.visible.hidden import MARK, HiddenText
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.memory.writing.write import NewLine, append, delete, restore, write
from tests.memory.test_reverting import _token
from tests.soaking import first_in_gate
from tests.world import World

pytestmark = pytest.mark.databases
MACHINE = Writer(AuthorKind.SYSTEM)


class Story:
    """A file that programs change at random, and what each of its revisions says."""

    def __init__(self, world: World, seed: int) -> None:
        self.random = random.Random(seed)
        self.memory = Memory(world.agent, world.customer)
        self.texts: dict[int, str] = {}
        self.erased: list[str] = []
        self.told = 0
        self.token = _token(world)
        self.tool = Writer(
            AuthorKind.AGENT, integration=world.integration, token=self.token, is_tool=True
        )
        self.person = Writer(AuthorKind.PERSON, user=world.alice)

    def step(self, tx: Transaction) -> None:
        acts = (self.edit, self.append, self.restore, self.erase, self.delete, self.revert)
        chances = (10, 3, 3, 3, 0.5, 1)
        [act] = self.random.choices(acts, chances) if len(self.texts) > 3 else [self.edit]
        act(tx)

    def edit(self, tx: Transaction) -> None:
        """A few lines go, come and move among many that stay."""
        lines = self.now.split("\n")
        for _turn in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(lines))
            does = self.random.choice(("come", "come", "go", "move"))
            if does == "come":
                lines[at:at] = self.fresh(self.random.choice((1, 1, 2, 30)))
            elif lines[at]:
                line = lines.pop(at)
                lines[self.random.randrange(len(lines) + 1) : 0] = [line] if does == "move" else []
        self.keep(write(tx, self.place, "\n".join(lines), writer=MACHINE).file)

    def append(self, tx: Transaction) -> None:
        said = [NewLine(line) for line in self.fresh(self.random.randrange(1, 3))]
        writer = self.random.choice((MACHINE, self.tool))
        self.keep(append(tx, self.place, said, writer=writer).file)

    def revert(self, tx: Transaction) -> None:
        """All that a program appended."""
        source = Source(self.memory.agent, Kind.TOKEN, self.token.pk)
        revert(tx, source, Q(), Q(), writer=self.person)
        self.keep(self.file)

    def restore(self, tx: Transaction) -> None:
        number = self.random.choice([n for n, text in self.texts.items() if text])
        self.keep(restore(tx, self.file, number, writer=MACHINE).file)

    def delete(self, tx: Transaction) -> None:
        if self.file.deleted_at is None:
            delete(tx, self.file, writer=MACHINE)
            self.keep(self.file)

    def erase(self, tx: Transaction) -> None:
        """What some line said, out of all that the file ever said."""
        text = self.random.choice(list(self.texts.values()))
        lines = [line[2:] for line in text.split("\n") if line.startswith("- Number")]
        if not lines:
            return
        said = self.random.choice(lines)
        going = Removal(self.memory, HiddenText(), Sought([said]))
        removal.take_files(tx, going, [self.file.pk])
        removal.take_out_of_past(self.file, going)
        self.keep(self.file)
        self.texts = {n: text.replace(said, MARK) for n, text in self.texts.items()}
        self.erased.append(said)

    def fresh(self, count: int) -> list[str]:
        self.told += count
        numbers = range(self.told - count, self.told)
        return [f"- Number {n} of the lamps stands on shelf x{n}." for n in numbers]

    def keep(self, file: File) -> None:
        self.texts.setdefault(file.revision, file.raw_content)

    @property
    def now(self) -> str:
        return self.texts[max(self.texts)] if self.texts else ""

    @property
    def place(self) -> Place:
        return Place(self.memory.agent, self.memory.owner, "KNOWLEDGE.md")

    @property
    def file(self) -> File:
        return File.objects.get(
            agent=self.place.agent, owner=self.place.owner_id, path="KNOWLEDGE.md"
        )


@pytest.mark.parametrize("seed", first_in_gate(3, range(25)))
def test_any_order_of_acts_leaves_what_whole_revisions_would_say(world: World, seed: int) -> None:
    story = Story(world, seed)
    for _turn in range(45):
        with write_transaction(world.team) as tx:
            story.step(tx)
        file = story.file
        assert contents_of({file.pk: story.texts.keys()})[file.pk] == story.texts
    rows = Revision.objects.filter(file=file)
    assert {row.number: row.size for row in rows} == {
        number: len(text.encode()) for number, text in story.texts.items()
    }
    assert rows.exclude(edits=None).count() > 3
    assert story.erased
    kept = repr(list(rows.values_list())) + file.raw_content
    assert [said for said in story.erased if said in kept] == []
