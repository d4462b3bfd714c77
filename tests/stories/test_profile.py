"""Who somebody is and how they want to be answered stands in their own PROFILE.md, and does so
whatever dreams and people do."""

from datetime import timedelta

import pytest
from django.db.models import Q

from memoryweb.agents.models import Agent, Reader
from memoryweb.dreaming import document
from memoryweb.dreaming.models import Report
from memoryweb.dreaming.night_results import outcomes
from memoryweb.dreaming.operations import Does, LivingStatement, Operation, Result, Utterance
from memoryweb.language.extraction_rules import claim_of
from memoryweb.memory import facts, reverting
from memoryweb.memory.forgetting import erasing, requests
from memoryweb.memory.lines.sources import Kind, Source
from memoryweb.memory.models import AuthorKind, Fact, File, Proposal
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.prompt import context
from memoryweb.memory.review import proposals
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.writing import write
from memoryweb.runs import engine
from tests.dreaming.nights import MACHINE, NIGHT, dream, memory, text_of
from tests.forgetting.test_erasing import holding
from tests.snapshots.archives import of
from tests.stories.telling import edits, person, prompt, says
from tests.world import World

pytestmark = pytest.mark.django_db
NEXT = NIGHT + timedelta(days=1)
HOME, CAT, WISH = "I live in Hamburg.", "My cat is called Momo.", "Always answer in German."
PROFILE = "PROFILE.md"


def lines(world: World, path: str = PROFILE) -> list[str]:
    text = text_of(world, world.customer, path)
    return [line[2:] for line in text.split("\n") if line.startswith("- ")]


def files(world: World) -> tuple[list[str], list[str]]:
    return lines(world), lines(world, "MEMORY.md")


def night(world: World, *said: str, after: int = 0) -> None:
    day = NIGHT + timedelta(days=after)
    says(world, f"day {after}", *said, day=day)
    dream(world, world.customer, day)


def profile(world: World, text: str, writer: Writer) -> File:
    with write_transaction(world.team) as tx:
        return write.write(
            tx, Place(world.agent, world.customer, PROFILE), text, writer=writer
        ).file


def _file_of(said: str) -> str:
    new = LivingStatement("new", said, claim_of(said, NIGHT), Utterance())
    (result,) = document.placed([Result(Operation(Does.ADD, said), new=new)], "")
    assert result.new is not None
    return result.new.path


@pytest.mark.parametrize(
    "said",
    [
        HOME,
        WISH,
        "My name is Bob Carter.",
        "I'm 34 years old.",
        "My birthday is on 4 May.",
        "I work at Acme Glass.",
        "I am from Poland.",
        "I speak German and a little French.",
        "My time zone is Europe/Berlin.",
        "Ich wohne in Altona.",
        "私は東京に住んでいます。",
        "我住在上海。",
    ],
)
def test_who_they_are_and_how_they_want_to_be_answered(said: str) -> None:
    assert _file_of(said) == PROFILE


@pytest.mark.parametrize(
    "said",
    [
        CAT,
        "My sister lives in Porto.",
        "My friend Ana is 34.",
        "I'm vegetarian.",
        "My favourite colour is green.",
        "I am allergic to walnuts.",
        "My shoe size is 43.",
        "We're flying to Rome on 3 December.",
        "Our wifi name is Beacon.",
    ],
)
def test_all_else_is_memory(said: str) -> None:
    assert _file_of(said) == "MEMORY.md"


def test_shared_memory_keeps_its_profile_to_people(world: World) -> None:
    before = text_of(world, None, PROFILE)
    says(world, "talk", HOME, shared=True)
    dream(world, None)
    assert HOME not in text_of(world, None, PROFILE)
    assert text_of(world, None, PROFILE) == before


def test_the_prompt_begins_with_it_and_the_diary_tells_both(world: World) -> None:
    night(world, CAT, HOME)
    given = prompt(world, "Hello")
    assert given.index(HOME) < given.index(CAT)
    told = text_of(world, world.customer, "DREAMS.md")
    assert f"- Learned: “{CAT[:-1]}”." in told
    assert f"- Learned: “{HOME[:-1]}”." in told
    changed = {change["path"] for change in Report.objects.get().changes}
    assert changed == {"PROFILE.md", "MEMORY.md", "DREAMS.md"}


def test_an_untouched_seed_is_in_no_prompt(world: World) -> None:
    reader = Reader(world.agent, world.customer)
    assert "Who this agent talks to" in text_of(world, None, PROFILE)
    assert PROFILE not in [one.file.path for one in context.build(reader, "Hello").shared]
    with write_transaction(world.team) as tx:
        text = text_of(world, None, PROFILE) + "\n- The team sits in Porto.\n"
        write.write(tx, Place(world.agent, None, PROFILE), text, writer=person(world))
    assert PROFILE in [one.file.path for one in context.build(reader, "Hello").shared]


def test_what_stood_in_memory_moves_when_it_is_replaced(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n- {HOME}\n")
    night(world, CAT)
    assert files(world) == ([], [HOME, CAT])
    night(world, "I moved to Porto.", after=1)
    assert files(world) == (["I moved to Porto."], [CAT])
    old, new = Fact.objects.get(raw_text=HOME), Fact.objects.get(raw_text="I moved to Porto.")
    assert (old.state, old.superseded_by) == ("superseded", new)


def test_what_is_said_again_stays_where_it_stands(world: World) -> None:
    memory(world, world.customer, f"# Memory\n\n- {HOME}\n")
    night(world, HOME)
    assert files(world) == ([], [HOME])


def test_reworded_by_a_dream_it_takes_its_evidence_along(world: World) -> None:
    says(world, "first", HOME)
    memory(world, world.customer, f"# Memory\n\n- {HOME}\n")
    dream(world, world.customer)
    longer = "I live in Hamburg, near the harbour."
    night(world, longer, after=1)
    assert files(world) == ([longer], [])
    said = Fact.objects.get(raw_text=longer).evidence.filter(message__isnull=False)
    assert said.count() >= 1


@pytest.mark.parametrize("first", [PROFILE, "MEMORY.md"])
def test_moved_by_a_person_it_is_one_statement(world: World, first: str) -> None:
    """With its votes and its confirmation, whichever of the two files they write first."""
    memory(world, world.customer, f"# Memory\n\n- {HOME}\n")
    fact = Fact.objects.get(raw_text=HOME)
    with write_transaction(world.team) as tx:
        facts.confirm(tx, fact, writer=person(world))
    texts = {PROFILE: f"# Profile\n\n- {HOME}\n", "MEMORY.md": "# Memory\n"}
    for path in sorted(texts, key=lambda path: path != first):
        with write_transaction(world.team) as tx:
            place = Place(world.agent, world.customer, path)
            write.write(tx, place, texts[path], writer=person(world))
    standing = Fact.objects.standing().get(raw_text=HOME)
    assert (standing.pk, standing.path, standing.state) == (fact.pk, PROFILE, "active")
    assert standing.confirmed_at is not None


def test_what_a_person_wrote_there_stays_word_for_word(world: World) -> None:
    text = "# About me\n\nI am *Bob*.\n\n- I live  in Hamburg (since 2019).\n* Call me Bob.\n"
    profile(world, text, person(world))
    night(world, "I speak Danish.", CAT, after=1)
    kept = text_of(world, world.customer, PROFILE)
    assert all(line in kept.split("\n") for line in text.split("\n"))
    assert "I speak Danish." in lines(world)


def test_it_never_grows_past_what_prompts_are_given(world: World) -> None:
    full = "# Profile\n\n" + "".join(f"- I speak dialect number {n}.\n" for n in range(200))
    profile(world, full[: document.PROFILE_CAP - 30].rpartition("\n")[0] + "\n", MACHINE)
    night(world, HOME)
    assert len(text_of(world, world.customer, PROFILE)) <= document.PROFILE_CAP
    assert files(world)[1] == [HOME]


def test_a_line_of_it_is_forgotten_and_erased(world: World) -> None:
    night(world, HOME, WISH)
    file = File.objects.get(owner=world.customer, path=PROFILE)
    number = file.raw_content.split("\n").index(f"- {HOME}") + 1
    with write_transaction(world.team) as tx:
        request = requests.forget_lines(
            tx,
            file,
            [number],
            expected=file.sha256,
            writer=Writer(AuthorKind.PERSON, user=world.bob),
            is_theirs=True,
        )
    assert "Hamburg" not in prompt(world, "Where do I live?")
    with write_transaction(world.team) as tx:
        erasing.erase_now(tx, request)
    assert {run.error for run in engine.run_pending()} == {""}
    assert lines(world) == [WISH]
    assert holding("Hamburg") == set()
    dream(world, world.customer, NEXT)
    assert lines(world) == [WISH]


def test_a_run_is_reverted_in_both_files_at_once(world: World) -> None:
    says(world, "talk", HOME, CAT)
    run = dream(world, world.customer)
    assert files(world) == ([HOME], [CAT])
    with write_transaction(world.team) as tx:
        source = Source(world.agent, Kind.RUN, run.pk)
        reverting.revert(tx, source, Q(), Q(), writer=person(world))
    assert files(world) == ([], [])


def test_where_people_are_asked_first_both_files_wait(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy=Agent.Policy.REVIEW)
    world.agent.refresh_from_db()
    says(world, "talk", HOME, CAT)
    run = dream(world, world.customer)
    assert files(world) == ([], [])
    assert run.status == "needs_review"
    by_path = {one.file.path: one for one in Proposal.objects.select_related("file")}
    assert set(by_path) == {PROFILE, "MEMORY.md"}
    operations = list(Report.objects.get().operations.order_by("position"))
    with write_transaction(world.team) as tx:
        proposals.accept(tx, by_path[PROFILE], by=world.alice)
    run.refresh_from_db()
    assert run.status == "needs_review"
    assert sorted(outcomes(run, operations)) == ["accepted", "waits"]
    with write_transaction(world.team) as tx:
        proposals.reject(tx, by_path["MEMORY.md"], by=world.alice)
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert sorted(outcomes(run, operations)) == ["accepted", "rejected"]
    assert files(world) == ([HOME], [])
    night(world, CAT, after=1)
    assert Proposal.objects.filter(state="pending").count() == 0


def test_export_and_import_bring_both_back(world: World) -> None:
    night(world, HOME, CAT)
    mine = Memory(world.agent, world.customer)
    archive = of({path: text_of(world, world.customer, path) for path in (PROFILE, "MEMORY.md")})
    facts_before = set(Fact.objects.standing().values_list("raw_text", "path"))
    edits(world, PROFILE, f"- {HOME}\n", "")
    edits(world, "MEMORY.md", f"- {CAT}\n", "")
    token = snapshots.preview(mine, archive, by=person(world)).token
    with write_transaction(world.team) as tx:
        snapshots.apply(tx, mine, archive, token, by=person(world))
    assert files(world) == ([HOME], [CAT])
    assert set(Fact.objects.standing().values_list("raw_text", "path")) == facts_before
    dream(world, world.customer, NEXT)
    assert files(world) == ([HOME], [CAT])


def test_an_earlier_revision_is_restored(world: World) -> None:
    night(world, HOME)
    fact = Fact.objects.get(raw_text=HOME)
    night(world, "I moved to Porto.", after=1)
    file = File.objects.get(owner=world.customer, path=PROFILE)
    with write_transaction(world.team) as tx:
        write.restore(tx, file, file.revision - 1, writer=person(world))
    assert lines(world) == [HOME]
    fact.refresh_from_db()
    assert (fact.file, fact.state) == (file, "active")
