"""Writing, dreaming, editing, deleting, confirming, deciding, undoing, reverting, importing and
restoring in any order: files and statements stay one, and what was taken back stays away."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memoryweb.audit.models import Event
from memoryweb.memory import facts, reverting
from memoryweb.memory.lines.flags import flagged_lines, print_of
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Contradiction, Fact, File, Import, SourceClass
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer, write_transaction
from memoryweb.memory.review import decisions as reviewing
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.statements import repair
from memoryweb.memory.statements.listing import weighed, weight_of
from memoryweb.memory.statements.projection import Departure
from memoryweb.memory.writing import write
from tests.snapshots.archives import of
from tests.world import World

LINES = ("- city: Leeds", "- city: York", "- **city**: Bath", "- Anna sings.", "- Anna sings loud.")
texts = st.lists(st.sampled_from(LINES), unique=True).map(lambda some: "\n".join([*some, ""]))
which = st.integers(0, 9)


class Statements(RuleBasedStateMachine):
    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.seen = self._state()
        self._save("- city: Leeds\n- Anna sings.\n", Writer(AuthorKind.AGENT))

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    @property
    def bob(self) -> Writer:
        return Writer(AuthorKind.PERSON, user=self.world.bob)

    @property
    def file(self) -> File:
        owner = self.world.bobs_memory
        return File.objects.select_related("agent", "owner").get(owner=owner, path="MEMORY.md")

    @rule(text=texts, kind=st.sampled_from([AuthorKind.AGENT, AuthorKind.DREAM]))
    def a_machine_writes(self, text: str, kind: AuthorKind) -> None:
        self._save(text, Writer(kind))

    @rule(text=texts, why=st.sampled_from(Fact.Why))
    def a_dream_says_why(self, text: str, why: Fact.Why) -> None:
        said = {"anna sings": Departure(why, "city: York"), "city leeds": Departure(why)}
        self._save(text, Writer(AuthorKind.DREAM), whys=said)

    @rule(text=texts)
    def a_person_writes(self, text: str) -> None:
        self._save(text, self.bob)

    @rule(at=which, text=st.sampled_from(LINES))
    def a_person_edits_one(self, at: int, text: str) -> None:
        self._each(at, lambda tx, fact: facts.edit(tx, fact, text[2:], writer=self.bob))

    @rule(at=which)
    def a_person_confirms_one(self, at: int) -> None:
        self._each(at, lambda tx, fact: facts.confirm(tx, fact, writer=self.bob))

    @rule(at=which)
    def a_person_says_one_is_not_true(self, at: int) -> None:
        self._each(at, lambda tx, fact: facts.not_true(tx, fact, writer=self.bob))

    @rule(at=which)
    def a_person_restores_one(self, at: int) -> None:
        self._each(at, lambda tx, fact: facts.restore(tx, fact, writer=self.bob))

    @rule(at=which, helpful=st.sampled_from([True, False, None]))
    def a_person_votes(self, at: int, helpful: bool | None) -> None:
        self._each(at, lambda tx, fact: facts.vote(tx, fact, writer=self.bob, helpful=helpful))

    @rule(at=which, text=st.sampled_from(LINES))
    def somebody_else_says_otherwise(self, at: int, text: str) -> None:
        standing = Fact.objects.standing().living().filter(attribute="city").order_by("created_at")
        if found := list(standing):
            source, said = SourceClass.THIRD_PARTY, text[2:]
            self._act(
                lambda tx: facts.contradict(
                    tx, found[at % len(found)], said, source=source, grounds=[]
                )
            )

    @rule(how=st.sampled_from(Contradiction.Resolution))
    def a_person_resolves(self, how: str) -> None:
        found = Contradiction.objects.filter(state="open").first()
        if found is not None:
            self._act(
                lambda tx: facts.resolve(
                    tx, found, how, writer=self.bob, text="city: Leeds and York"
                )
            )

    @rule(at=which)
    def a_person_undoes_that(self, at: int) -> None:
        if found := list(Contradiction.objects.exclude(state="open").order_by("created_at")):
            one = found[at % len(found)]
            self._act(lambda tx: facts.undo(tx, one, writer=self.bob))

    @rule(back=which)
    def a_revision_is_restored(self, back: int) -> None:
        number = max(1, self.file.revision - back)
        self._act(lambda tx: write.restore(tx, self.file, number, writer=self.bob))

    @precondition(lambda self: self.file.deleted_at is None)
    @rule(by_person=st.booleans())
    def the_file_is_deleted(self, *, by_person: bool) -> None:
        writer = self.bob if by_person else Writer(AuthorKind.AGENT)
        self._act(lambda tx: write.delete(tx, self.file, writer=writer))

    @rule(text=texts)
    def a_snapshot_is_imported(self, text: str) -> None:
        place = (Memory(self.world.agent, self.world.bobs_memory), of({"MEMORY.md": text}))
        token = snapshots.preview(*place, by=self.bob).token
        self._act(lambda tx: snapshots.apply(tx, *place, token, by=self.bob))

    @rule()
    def the_import_is_reverted(self) -> None:
        batch = Import.objects.filter(reverted_at=None).order_by("-created_at").first()
        if batch is not None:
            source = Source(self.world.agent, Kind.IMPORT, batch.pk)
            reach = Q(owner=self.world.bobs_memory)
            self._act(lambda tx: reverting.revert(tx, source, reach, Q(), writer=self.bob))

    @rule()
    def a_flagged_line_is_kept(self) -> None:
        file = self.file
        if flagged := flagged_lines(file):
            line = print_of(file.raw_content.split("\n")[min(flagged) - 1])
            self._act(lambda tx: reviewing.keep_flagged(tx, file, line, by=self.world.bob))

    @invariant()
    def files_and_statements_are_one(self) -> None:
        assert repair.check(self.world.team).differing == ()

    @invariant()
    def nothing_that_was_taken_back_is_current(self) -> None:
        taken_back = Fact.objects.filter(corrected_at__isnull=False).values("fingerprint")
        living = Fact.objects.living().filter(fingerprint__in=taken_back)
        assert list(living.values_list("raw_text", flat=True)) == []

    @invariant()
    def what_is_disputed_is_in_an_open_contradiction(self) -> None:
        disputed = Fact.objects.filter(state=Fact.State.DISPUTED)
        assert not disputed.exclude(contradiction__state="open").exists()

    @invariant()
    def trust_is_a_share(self) -> None:
        found = weighed(Fact.objects.all())
        assert all(0 <= weight_of(fact, timezone.now()).value <= 1 for fact in found)

    @invariant()
    def every_change_is_an_event(self) -> None:
        facts, events = self._state()
        assert facts == self.seen[0] or events > self.seen[1]
        self.seen = (facts, events)

    def _state(self) -> tuple[list[Any], int]:
        rows = Fact.objects.order_by("pk").values_list(
            "pk", "state", "raw_text", "file", "corrected_at", "confirmed_at", "contradiction"
        )
        return list(rows), Event.objects.count()

    def _save(self, text: str, writer: Writer, **more: Any) -> None:
        place = Place(self.world.agent, self.world.bobs_memory, "MEMORY.md")
        self._act(lambda tx: write.write(tx, place, text, writer=writer, **more))

    def _each(self, at: int, act: Callable[[Transaction, Fact], object]) -> None:
        found = Fact.objects.order_by("created_at", "pk")
        fact = found[at % len(found)]
        self._act(lambda tx: act(tx, fact))

    def _act(self, act: Callable[[Transaction], object]) -> None:
        """A refusal leaves everything as it was."""
        try:
            with write_transaction(self.world.team) as tx:
                act(tx)
        except MemoryRefused:
            pass


def test_statements_live(world: World) -> None:
    machine = type("Told", (Statements,), {"world": world})
    run_state_machine_as_test(
        machine,
        # A failing case is told as it came: to shrink one takes minutes.
        settings=settings(
            max_examples=settings().max_examples // 5,
            stateful_step_count=12,
            phases=[Phase.generate],
        ),
    )
