"""Saying, changing, dreaming, editing, confirming, undoing, reverting, importing and restoring in
any order: no clause of what holds is lost to a night, nothing that ended stands unmarked in a
prompt, and a night without news changes nothing."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar

import pytest
from django.db import transaction
from django.db.models import Q
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memoryweb.markdown.marks import living, part
from memoryweb.memory import facts, reverting
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import Contradiction, Conversation, Fact, File, Import
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Transaction, write_transaction
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.statements import repair
from memoryweb.memory.still_true import still_true
from memoryweb.memory.writing import write
from tests.clock import Clock
from tests.dreaming.nights import dream, text_of
from tests.extraction.talking import extract
from tests.stories.telling import person, prompt, says
from tests.world import World

FIRST = date(2027, 3, 1)
# A sentence of two claims, what of it stays whatever is said, and what changes the rest.
LIVES = (
    ("My name is Bob Carter and I live in Leeds.", "Bob Carter", "We moved to Porto last week."),
    (
        "My phone number is 555-1234 and my email is bob@x.org.",
        "bob@x.org",
        "My phone number is 555-9876 now.",
    ),
    ("I'm vegetarian and I can't eat gluten.", "gluten", "I'm vegan now."),
    ("I live in Leeds, and I am allergic to peanuts.", "peanuts", "No, I still live in Leeds."),
    (
        "My project lead is Torsten, and I work from home on Fridays.",
        "Fridays",
        "My project lead is Wanjiru now.",
    ),
    (
        "Ich wohne in Hamburg und habe eine Katze namens Momo.",
        "Momo",
        "Ich bin nach Kiel gezogen.",
    ),
)
STAYS = {said: word for said, word, _change in LIVES}
WORDS = frozenset(STAYS.values())
OTHERS = ("My sister Carla plays the cello.", "I live in Leeds again.", "I moved to Lund.")
SAID = (*STAYS, *(change for _said, _word, change in LIVES), *OTHERS)
texts = st.lists(st.sampled_from(SAID), min_size=1, max_size=3, unique=True)
which = st.integers(0, 9)


class Claims(RuleBasedStateMachine):
    world: ClassVar[World]
    clock: ClassVar[Clock]

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.day = FIRST
        self.owed: set[str] = set()  # words said, and not taken away by a person since
        self.archives: list[bytes] = []
        self._say(next(iter(STAYS)))
        self._dream()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    @property
    def memory(self) -> Memory:
        return Memory(self.world.agent, self.world.customer)

    @rule(said=texts)
    def say(self, said: list[str]) -> None:
        self._say(*said)

    @rule(said=texts)
    def say_and_sleep(self, said: list[str]) -> None:
        self._say(*said)
        self._dream()

    @rule()
    def two_nights_without_news(self) -> None:
        self._dream()
        before = self._state()
        self._dream()
        assert self._state() == before

    @rule(at=which)
    def edit(self, at: int) -> None:
        """By a colleague, of one who has no account."""
        self._each(at, lambda tx, one: facts.edit(tx, one, _other(one.raw_text), writer=self.by))

    @rule(at=which)
    def confirm(self, at: int) -> None:
        self._each(at, lambda tx, one: facts.confirm(tx, one, writer=self.by))

    @rule(at=which)
    def still_true(self, at: int) -> None:
        self._each(at, lambda tx, one: still_true(tx, one, writer=self.by), raw_ended__isnull=False)

    @rule(how=st.sampled_from(["KEEP_A", "KEEP_B", "IGNORE"]))
    def resolve(self, how: str) -> None:
        found = Contradiction.objects.filter(state="open").order_by("created_at", "pk").first()
        if found is not None:
            self._act(lambda tx: facts.resolve(tx, found, how, writer=self.by))

    @rule()
    def undo(self) -> None:
        found = Contradiction.objects.exclude(state="open").order_by("-decided_at", "pk").first()
        if found is not None:
            self._act(lambda tx: facts.undo(tx, found, writer=self.by))

    @rule(at=which)
    def revert_a_talk(self, at: int) -> None:
        talks = list(Conversation.objects.filter(owner=self.world.customer).order_by("external_id"))
        self._revert(Kind.CONVERSATION, talks[at % len(talks)].pk)

    @rule(at=which)
    def revert_a_night(self, at: int) -> None:
        runs = [*self.runs]
        self._revert(Kind.RUN, runs[at % len(runs)])

    @rule()
    def keep_a_copy(self) -> None:
        with write_transaction(self.world.team) as tx:
            self.archives.append(snapshots.export(tx, self.memory).archive)

    @rule(at=which)
    def import_a_copy(self, at: int) -> None:
        if self.archives:
            archive = self.archives[at % len(self.archives)]
            token = snapshots.preview(self.memory, archive, by=self.by).token
            self._act(lambda tx: snapshots.apply(tx, self.memory, archive, token, by=self.by))

    @rule()
    def revert_the_import(self) -> None:
        batch = Import.objects.filter(reverted_at=None).order_by("-created_at").first()
        if batch is not None:
            self._revert(Kind.IMPORT, batch.pk)

    @rule(at=which, back=st.integers(1, 3))
    def restore(self, at: int, back: int) -> None:
        if files := list(self._files()):
            file = files[at % len(files)]
            number = max(1, file.revision - back)
            self._act(lambda tx: write.restore(tx, file, number, writer=self.by))

    @invariant()
    def files_and_statements_are_one(self) -> None:
        assert repair.check(self.world.team).differing == ()

    @invariant()
    def nothing_that_ended_stands_unmarked_in_a_prompt(self) -> None:
        given = prompt(self.world, "Where do I live, and what do I eat?")
        for fact in Fact.objects.standing().living().filter(raw_ended__isnull=False):
            whole = re.compile(rf"{re.escape(fact.raw_text)}(?= \(|$)")  # no more of a sentence
            for line in given.split("\n"):
                if whole.search(line):
                    assert all(f"{one.words})" in line for one in fact.ended), line

    @property
    def by(self) -> Any:
        return person(self.world)

    def _say(self, *texts: str) -> None:
        self._next_day()
        talk = says(self.world, f"talk {self.day}", *texts, day=self.day, is_noted=False)
        extract(self.world, talk)
        self.owed |= {STAYS[text] for text in texts if text in STAYS}

    def _dream(self) -> None:
        self._next_day()
        before = self._living()
        self.runs = [
            *getattr(self, "runs", []),
            dream(self.world, self.world.customer, self.day).pk,
        ]
        after = self._living()
        assert before <= after, before - after
        assert self.owed <= after, self.owed - after

    def _next_day(self) -> None:
        self.day += timedelta(days=1)
        self.clock.put(datetime.combine(self.day, time(9), UTC))

    def _living(self) -> set[str]:
        lines = map(part, text_of(self.world, self.world.customer).split("\n"))
        text = "\n".join(living(line, ended) for line, ended in lines)
        return {word for word in WORDS if word in text}

    def _files(self) -> Any:
        files = File.objects.of(self.world.agent.pk, self.world.customer.pk).present()
        return files.filter(path__in=("PROFILE.md", "MEMORY.md")).order_by("path")

    def _state(self) -> tuple[str, list[Any]]:
        rows = Fact.objects.order_by("pk").values_list("pk", "state", "raw_text", "raw_ended")
        return text_of(self.world, self.world.customer), list(rows)

    def _each(self, at: int, act: Callable[[Transaction, Fact], object], **which: Any) -> None:
        there = Fact.objects.filter(owner=self.world.customer, **which).order_by("created_at", "pk")
        if found := list(there.standing().living()):
            self._act(lambda tx: act(tx, found[at % len(found)]))

    def _revert(self, kind: Kind, source: Any) -> None:
        self._act(
            lambda tx: reverting.revert(
                tx, Source(self.world.agent, kind, source), Q(), Q(), writer=self.by
            )
        )

    def _act(self, act: Callable[[Transaction], object]) -> None:
        """A person's; a refusal leaves everything as it was."""
        self.clock.put(datetime.combine(self.day, time(18), UTC))
        try:
            with write_transaction(self.world.team) as tx:
                act(tx)
        except MemoryRefused:
            return
        self.owed &= self._living()


@pytest.fixture
def life(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Claims]:
    """Of Bob Carter in Leeds, on the day after the first night."""
    clock = Clock(datetime.combine(FIRST, time(9), UTC), monkeypatch)
    found = type("Told", (Claims,), {"world": world, "clock": clock})()
    yield found
    found.teardown()


def _told(life: Claims) -> str:
    return text_of(life.world, life.world.customer)


PHONE, REACH = "My phone number is 555-9876 now.", LIVES[1][0]
LEAD, ALLERGY = LIVES[4][0], LIVES[3][0]


def test_what_a_colleague_worded_gives_way_to_its_owner_s_later_word(life: Claims) -> None:
    life.say_and_sleep([PHONE])
    life.edit(1)
    life.say_and_sleep([REACH])
    assert REACH in _told(life)
    assert "9876" not in _told(life)


def test_what_is_said_again_after_a_night_was_reverted_is_news(life: Claims) -> None:
    life.say_and_sleep([REACH])
    life.revert_a_night(1)
    life.two_nights_without_news()
    assert REACH not in _told(life)
    life.say_and_sleep([REACH])
    assert REACH in _told(life)


def test_what_is_said_beside_something_that_holds_again_is_kept(life: Claims) -> None:
    life.say_and_sleep(["I moved to Lund."])
    life.say_and_sleep([ALLERGY])
    assert ALLERGY in _told(life)


def test_what_is_said_beside_something_that_ended_that_day_is_kept(life: Claims) -> None:
    life.say_and_sleep(["Ich wohne in Hamburg und habe eine Katze namens Momo.", ALLERGY])
    assert "allergic to peanuts" in _told(life)
    assert "Momo" in _told(life)


def test_of_a_sentence_that_is_partly_overtaken_the_rest_is_kept(life: Claims) -> None:
    life.say_and_sleep(["I moved to Lund."])
    life.say_and_sleep(["We moved to Porto last week."])
    life.say_and_sleep(["I moved to Lund."])
    life.say_and_sleep([ALLERGY, "I moved to Lund."])
    assert f"{ALLERGY} <!-- until 2027-03-10: I live in Leeds -->" in _told(life)


def test_a_habit_outlives_what_ends_beside_it(life: Claims) -> None:
    life.say_and_sleep([LEAD])
    life.say_and_sleep(["My project lead is Wanjiru now."])
    assert f"{LEAD} <!-- until 2027-03-06: My project lead is Torsten -->" in _told(life)


def test_the_day_of_a_move_is_no_number_of_a_phone(life: Claims) -> None:
    life.say_and_sleep([PHONE, "The dinner is on 2027-04-04 at Kajutan."])
    life.say_and_sleep(["We moved to Porto yesterday."])
    assert "moved to Porto yesterday (2027-03-05)" in _told(life)
    assert f"{PHONE}\n" in _told(life)
    life.say_and_sleep(["My phone number is 555-4321 now."])
    assert "yesterday (2027-03-05).\n" in _told(life)
    assert "at Kajutan.\n" in _told(life)


def _other(text: str) -> str:
    """In other signs."""
    return text[:-1] + ("!" if text.endswith(".") else ".")


def test_claims_live(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(datetime.combine(FIRST, time(9), UTC), monkeypatch)
    machine = type("Told", (Claims,), {"world": world, "clock": clock})
    run_state_machine_as_test(
        machine,
        # A failing case is told as it came: to shrink one takes minutes.
        settings=settings(
            max_examples=settings().max_examples // 5,
            stateful_step_count=12,
            phases=[Phase.generate],
        ),
    )
