"""Sentences that tell nothing by their form are erased wherever they stand as a whole; also where
the shared memory quotes them."""

import pytest
from django.utils import timezone
from django_scopes import scopes_disabled

from memoryweb.agents.models import Owner
from memoryweb.dreaming.models import Candidate, Operation, Report
from memoryweb.memory.models import AuthorKind, File, Receipt
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.visible.text_matching import Sought
from memoryweb.memory.writing.write import write
from memoryweb.runs.models import Run
from tests.forgetting.asking import lived
from tests.forgetting.test_erasing import erased, holding
from tests.world import World

pytestmark = pytest.mark.django_db
SHORT = "I have diabetes."
WORDS = "have diabetes"


def dreamt(world: World, owner: Owner | None) -> Run:
    """What a dream tells of it, in every record it keeps, and in its diary."""
    whose = {"team": world.team, "agent": world.agent, "owner": owner}
    run = Run.objects.create(
        **whose,
        kind="dream",
        status="succeeded",
        trigger="person",
        result={"told": [f"Added: {SHORT}", {SHORT: 1}]},
        error=f'a "{SHORT}"',
    )
    report = Report.objects.create(
        **whose, run=run, diary=f"- Added: {SHORT}\n", dreamt_at=timezone.now()
    )
    Operation.objects.create(
        team=world.team, report=report, position=1, does="add", after=SHORT, before=[SHORT]
    )
    Candidate.objects.create(
        team=world.team,
        report=report,
        key="k" * 64,
        text=f"08:00 {SHORT}",
        path="memory/2026-03-01.md",
        line=1,
        score=1,
        verdict="promoted",
    )
    with scopes_disabled(), write_transaction(world.team) as tx:
        for path in ("DREAMS.md", "memory/dreams/2026-02.md"):
            text = f"# Dreams\n\n- {SHORT} (1 note)\n- Tea.\n"
            dream = Writer(AuthorKind.DREAM, run=run)
            write(tx, Place(world.agent, owner, path), text, writer=dream)
    return run


def holding_of(world: World, owner: Owner | None) -> set[str]:
    """Labels of tables whose rows of that memory have it."""
    with scopes_disabled():
        whose = {"agent": world.agent, "owner": owner}
        there = {
            "File": File.objects.filter(**whose, raw_content__contains=WORDS).exists(),
            "Run": Run.objects.filter(**whose, result__icontains=WORDS).exists(),
            "Report": Report.objects.filter(**whose, diary__contains=WORDS).exists(),
        }
        return {name for name, is_there in there.items() if is_there}


def test_a_short_statement_is_gone_from_every_record_of_its_memory(world: World) -> None:
    fact = lived(world, world.customer, SHORT, f"Noted: {SHORT}")
    dreamt(world, world.customer)
    place = Place(world.agent, world.customer, "PROFILE.md")
    with write_transaction(world.team) as tx:
        for text in (f"## Health\n\n{SHORT} And tea.\n", "## Health\n\nTea.\n"):
            write(tx, place, text, writer=Writer(AuthorKind.DREAM))
    erased(world, fact)
    assert holding(WORDS) == set()
    assert Receipt.objects.get().remaining == 0
    with scopes_disabled():
        assert "- Tea." in File.objects.get(path="DREAMS.md").raw_content


def test_what_another_person_says_stays(world: World) -> None:
    mine = lived(world, world.customer, SHORT, "Noted.")
    lived(world, world.sender, SHORT, "Noted.")
    dreamt(world, world.sender)
    erased(world, mine)
    assert holding_of(world, world.sender) == {"File", "Run", "Report"}
    assert Receipt.objects.get().remaining == 0


def test_records_of_the_shared_memory_that_quote_it_lose_it(world: World) -> None:
    fact = lived(world, world.customer, SHORT, "Noted.")
    dreamt(world, None)
    erased(world, fact)
    assert holding(WORDS) == set()
    assert Receipt.objects.get().remaining == 0


def test_what_the_shared_memory_says_itself_stays_in_its_records(world: World) -> None:
    fact = lived(world, world.customer, SHORT, "Noted.")
    place, alice = (
        Place(world.agent, None, "KNOWLEDGE.md"),
        Writer(AuthorKind.PERSON, user=world.alice),
    )
    with scopes_disabled(), write_transaction(world.team) as tx:
        write(tx, place, f"- {SHORT}\n", writer=alice)
    dreamt(world, None)
    erased(world, fact)
    assert holding_of(world, None) == {"File", "Run", "Report"}
    assert Receipt.objects.get().remaining == 0


@pytest.mark.parametrize(
    "text",
    [
        "I have diabetes.",
        "- 08:00 I have diabetes",
        "Tea.\n   i have  diabetes!",
        'said "I have diabetes" twice',
        "**I have diabetes.** So",
        "- I have diabetes (2 notes)",
        '{"a": "Tea.\\nI have diabetes."}',
        "Well: I have diabetes, you know",
        "Tea. I have diabetes; and tea",
        "1. I have diabetes.",
    ],
)
def test_a_short_sentence_is_found_as_a_whole(text: str) -> None:
    assert Sought([SHORT]).is_in(text)


@pytest.mark.parametrize(
    "text",
    ["I have diabetes-free cake.", "Bob thinks I have diabetes.", "I have diabetes pills.", "yes."],
)
def test_a_part_of_another_sentence_is_not_found(text: str) -> None:
    assert not Sought([SHORT, "yes.", "34"]).is_in(text)


def test_chinese_sentences_have_no_blanks_between_them() -> None:
    assert Sought(["好酒。"]).without("你好。好酒。好酒店") == "你好。[forgotten]好酒店"
