"""A source is reverted after people and dreams have worked on what came from it."""

from datetime import timedelta

import pytest

from memoryweb.agents.models import Agent, Owner
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.memory.models import File, LineOrigin, Proposal
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.review import proposals
from tests.dreaming.nights import NIGHT, add, answer, dream, text_of
from tests.fakes import ModelServer
from tests.stories.telling import edits, found, note_of, prompt, reverts, says
from tests.world import World

OLD = "My sister lives in Leeds."
GOOD, BAD = "Marta's team ships on Thursdays.", "Marta always books the Acme hotel."


def test_edit_then_revert(world: World) -> None:
    """A person rewords the note after the dream has taken it up: the memory line goes all the
    same, and their own words stay."""
    says(world, "good", GOOD)
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    assert "Acme" in text_of(world, world.customer)
    edits(world, note_of(NIGHT), BAD, "Marta does not like hotels.")
    reverts(world, bad)
    assert "Acme" not in text_of(world, world.customer)
    assert "Thursdays" in text_of(world, world.customer)
    assert "does not like hotels" in text_of(world, world.customer, note_of(NIGHT))


def test_accept_then_revert(world: World) -> None:
    """What a person accepted stands on the conversation as if the dream had written it."""
    Agent.objects.filter(pk=world.agent.pk).update(policy=Agent.Policy.REVIEW)
    world.agent.refresh_from_db()
    says(world, "good", GOOD)
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    with write_transaction(world.team) as tx:
        proposals.accept(tx, Proposal.objects.get(), by=world.alice)
    assert "Acme" in text_of(world, world.customer)
    reverts(world, bad)
    assert "Acme" not in text_of(world, world.customer)
    assert "Thursdays" in text_of(world, world.customer)


def test_revert_then_dream(world: World) -> None:
    """Nothing brings it back: not the next night, not the prompt, not search, not the diary; and
    what a good conversation said beside it is proposed as ever."""
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    reverts(world, bad)
    tomorrow = NIGHT + timedelta(days=1)
    says(world, "good", GOOD, day=tomorrow)
    dream(world, world.customer, tomorrow)
    assert "Thursdays" in text_of(world, world.customer)
    for path in ("MEMORY.md", "DREAMS.md"):
        assert "Acme" not in text_of(world, world.customer, path)
    assert "Acme" not in prompt(world, "Which hotel does Marta book?", bad)
    assert not [text for text in found(world, "Acme hotel") if "Acme" in text]


def test_what_is_reverted_is_kept_and_marked(world: World) -> None:
    bad = says(world, "bad", BAD)
    assert reverts(world, bad).messages == 1
    message = bad.messages.get()
    assert message.raw_content == BAD
    assert message.reverted_at is not None
    assert reverts(world, bad).messages == 0


def test_a_conversation_goes_on_after_its_beginning_was_reverted(world: World) -> None:
    bad = says(world, "bad", BAD)
    reverts(world, bad)
    says(world, "bad", "I like the blue boat.")
    assert "blue boat" in prompt(world, "What do I like?", bad)
    assert "Acme" not in prompt(world, "What do I like?", bad)
    assert found(world, "boat")


def test_the_diary_tells_less_also_where_it_moved_to_an_archive(world: World) -> None:
    """The rest of the entry stays: what the night looked at, and what others said."""
    says(world, "good", GOOD)
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    later = NIGHT + timedelta(days=40)
    says(world, "later", "Ines plays the violin.", day=later)
    dream(world, world.customer, later)
    archive = f"memory/dreams/{NIGHT:%Y-%m}.md"
    before = text_of(world, world.customer, archive)
    assert "Acme" in before
    reverts(world, bad)
    after = text_of(world, world.customer, archive)
    assert "Acme" not in after
    assert "Thursdays" in after
    assert after.count("\n") == before.count("\n")


def test_reports_of_earlier_dreams_quote_it_no_longer(world: World) -> None:
    """Neither what came in, what was left out, what was replaced since, nor the entry; what others
    said beside it stays as it was told."""
    says(world, "good", GOOD, OLD)
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    tomorrow = NIGHT + timedelta(days=1)
    says(world, "bad", "My sister moved to York.", "The Acme bar opens at noon.", day=tomorrow)
    dream(world, world.customer, tomorrow)
    assert "York" in text_of(world, world.customer)
    before = _told(world)
    assert all(word in before for word in ("Acme", "York", "Leeds", "Thursdays"))
    reverts(world, bad)
    after = _told(world)
    assert "Acme" not in after
    assert "York" not in after
    assert "[reverted]" in after
    assert "Leeds" in after
    assert GOOD in after
    counts = [
        list(model.objects.order_by("pk").values_list("pk")) for model in (Operation, Candidate)
    ]
    reverts(world, bad)
    assert _told(world) == after
    assert counts == [
        list(model.objects.order_by("pk").values_list("pk")) for model in (Operation, Candidate)
    ]


@pytest.mark.parametrize("cited", ["n1", "nothing"])
def test_what_a_model_was_not_let_say_is_told_no_longer(
    world: World, request: pytest.FixtureRequest, cited: str
) -> None:
    bad = says(world, "bad", "The Acme bar opens at noon.")
    model: ModelServer = request.getfixturevalue("model_server")
    model.answer(answer(add("<!-- the model mentions Acme first -->", cited)))
    dream(world, world.customer)
    assert "Acme first" in text_of(world, world.customer, "DREAMS.md")
    reverts(world, bad)
    assert "Acme" not in text_of(world, world.customer, "DREAMS.md")
    assert "Acme" not in _told(world)


def test_what_a_good_conversation_said_too_stays_told(world: World) -> None:
    says(world, "good", BAD)
    bad = says(world, "bad", BAD, "The Acme bar opens at noon.", day=NIGHT - timedelta(days=1))
    dream(world, world.customer)
    reverts(world, bad)
    assert BAD in _told(world)
    assert "bar" not in _told(world)


def test_reports_of_other_people_s_dreams_stay(world: World) -> None:
    says(world, "mine", BAD, owner=world.bobs_memory)
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    dream(world, world.bobs_memory)
    reverts(world, bad)
    assert BAD in _told(world, world.bobs_memory)
    assert "Acme" not in _told(world)


def _told(world: World, owner: Owner | None = None) -> str:
    """All texts of that memory's reports."""
    reports = Report.objects.filter(owner=owner or world.customer)
    said = [report.diary for report in reports.order_by("dreamt_at")]
    for one in Operation.objects.filter(report__in=reports).order_by("pk"):
        said += [*one.before, one.after, one.against]
    weighed = Candidate.objects.filter(report__in=reports).order_by("pk")
    return "\n".join([*said, *weighed.values_list("text", flat=True)])


def test_reverting_twice_changes_nothing_more(world: World) -> None:
    bad = says(world, "bad", BAD)
    dream(world, world.customer)
    reverts(world, bad)
    before = list(File.objects.order_by("pk").values_list("pk", "revision"))
    reverts(world, bad)
    assert list(File.objects.order_by("pk").values_list("pk", "revision")) == before


def test_what_sums_up_many_notes_goes_with_each_conversation_behind_them(
    world: World, request: pytest.FixtureRequest
) -> None:
    """It keeps one origin a conversation, however many lines were said there."""
    monday = [f"She sold the orange boat number {n}." for n in range(20)]
    tuesday = [f"Ines paints an orange boat on page {n}." for n in range(20)]
    says(world, "good", *monday)
    bad = says(world, "bad", *tuesday, day=NIGHT - timedelta(days=1))
    model: ModelServer = request.getfixturevalue("model_server")
    model.answer(answer(add(monday[0], "n21"), diary="Orange boats came back."))
    dream(world, world.customer)
    diary = text_of(world, world.customer, "DREAMS.md").split("\n")
    number, line = next((n, one) for n, one in enumerate(diary, 1) if "came back" in one)
    rows = LineOrigin.objects.filter(file__path="DREAMS.md", line=number)
    assert line == "Orange boats came back."
    assert rows.count() == 2
    reverts(world, bad)
    assert "came back" not in text_of(world, world.customer, "DREAMS.md")
