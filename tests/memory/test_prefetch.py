"""What is put into a prompt for a message: what answers it, as much as there is room for, or
nothing."""

import pytest
from django.utils import timezone

from memoryweb.agents.models import Reader
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting.finding import fact_mention, message_mention
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import Evidence, Fact, ForgetRequest, Message
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.memory.prompt.context import MOST_PERSONAL, Context, build
from memoryweb.memory.prompt.injections import served
from memoryweb.memory.prompt.prefetch import PromptHit
from tests.memory.test_context import everything, save
from tests.world import World

SAID = (
    "My grandfather left me his red canoe when he died.",
    "We painted the kitchen green in spring.",
    "Otto, our neighbour, feeds the hens when we are away.",
    "I sing in a choir on Thursdays.",
    "The dentist found nothing, what a relief.",
    "Our train to Aveiro leaves from platform four.",
    "My friend Ines goes on a diet today, and her friends go along.",
)


@pytest.fixture(autouse=True)
def _talks(world: World) -> None:
    with write_transaction(world.team) as tx:
        for number, text in enumerate(SAID):
            add_messages(
                tx,
                agent=world.agent,
                owner=world.customer,
                conversation_id=f"talk-{number}",
                messages=[NewMessage("user", text)],
            )


def given(world: World, message: str, window: int = 128_000) -> Context:
    return build(Reader(world.agent, world.customer), message, window=window)


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("What colour is the canoe?", SAID[0]),
        ("Who feeds the hens?", SAID[2]),
        ("Good morning! Where does the train to Aveiro leave from?", SAID[5]),
    ],
)
def test_what_was_said_in_passing_is_found(world: World, message: str, answer: str) -> None:
    context = given(world, message)
    assert (context.hits[0].said, context.is_silent) == (answer, False)


@pytest.mark.parametrize(
    "message",
    [
        "How are you?",
        "How are you today my friend, shall we go on?",
        "Can you give me a recipe for banana bread?",
        "What is 17 times 23?",
        "Wie backe ich einen einfachen Apfelkuchen?",
        "今日の天気はどうですか？",
        "Write a Python function that reverses a linked list.",
        "When did Caroline find out about the adoption agency?",
    ],
)
@pytest.mark.first_two
def test_memory_is_silent_where_it_has_no_answer(world: World, message: str) -> None:
    context = given(world, message)
    assert (context.hits, context.is_silent) == ((), True)


def test_the_enabled_files_stay_while_memory_is_silent(world: World) -> None:
    save(world, "MEMORY.md", "- Likes trains.\n", world.customer)
    context = given(world, "How are you?")
    assert context.is_silent
    assert "Likes trains" in everything(context)


def test_a_question_below_a_long_paste_is_answered(world: World) -> None:
    page = " ".join(f"Section {n} regulates item {n * 7} of the annual budget." for n in range(400))
    context = given(world, f"{page}\n\nBy the way, who feeds the hens?")
    assert context.hits[0].said == SAID[2]


@pytest.mark.databases
def test_what_memory_has_no_room_for_is_given_where_it_answers(world: World) -> None:
    """The prompt is known to have carried it, by what was said of it."""
    save(world, "MEMORY.md", "- Keeps the cello at school.\n", world.customer)
    Fact.objects.update(file=None)
    save(world, "MEMORY.md", "- Likes tea.\n", world.customer)
    fact = Fact.objects.get(raw_text="Keeps the cello at school.")
    said = Message.objects.first()
    Evidence.objects.create(team=world.team, fact=fact, message=said, said_at=timezone.now())
    context = given(world, "Where is the cello kept?")
    assert [one.said for one in context.hits] == [fact.raw_text]
    assert "known since" in everything(context)
    with write_transaction(world.team) as tx:
        injection = served(tx, context)
    assert [one.message for one in injection.spans.exclude(message=None)] == [said]
    with write_transaction(world.team) as tx:
        request = open_request(
            tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API, "the cello")
        )
        hide(tx, request, [fact_mention(fact)])
    assert given(world, "Where is the cello kept?").is_silent


@pytest.mark.databases
def test_an_answer_is_given_with_the_turns_beside_it(world: World) -> None:
    """In the order of the talk; what somebody asked to forget of them stays away."""
    turns = ("Guess what we rented.", "A cabin by the lake!", "Whom did you take along?", "Nobody.")
    with write_transaction(world.team) as tx:
        added = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="cabin",
            messages=[NewMessage("user", turn) for turn in turns],
        )
    asked = "Which cabin did we rent at the lake?"
    context = given(world, asked)
    assert [one.said for one in context.hits] == [turns[1], turns[0], turns[2]]
    (memory,) = (turn.content for turn in context.messages[:1])
    assert [memory.index(turn) for turn in turns[:3]] == sorted(map(memory.index, turns[:3]))
    assert turns[3] not in memory
    last = added.conversation.messages.get(position=3)
    with write_transaction(world.team) as tx:
        request = open_request(
            tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API, "whom")
        )
        hide(tx, request, [message_mention(last, 0, len(last.raw_content))])
    assert [one.said for one in given(world, asked).hits] == [turns[1], turns[0]]


@pytest.mark.parametrize(("answer", "comes_along"), [("Understood.", False), ("No.", True)])
def test_beside_an_answer_stands_nothing_that_says_nothing(
    world: World, answer: str, *, comes_along: bool
) -> None:
    turns = ("Hello!", "Is the cabin by the lake heated?", answer)
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="cabin",
            messages=[NewMessage("user", turn) for turn in turns],
        )
    said = [one.said for one in given(world, "What about the cabin by the lake?").hits]
    assert said == [turns[1], *([answer] if comes_along else [])]


def test_an_answer_has_the_words_of_the_question_before_it(world: World) -> None:
    turns = ("Where do you store your skis in summer?", "In the attic, with those skis of my aunt.")
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="skis",
            messages=[NewMessage("user", turn) for turn in turns],
        )
    asked, answer = sorted(given(world, "Where are the skis stored in summer?").hits, key=_position)
    assert answer.hit.relevance == 1 > asked.hit.relevance


def _position(one: PromptHit) -> int:
    return one.hit.message.position if one.hit.message else 0


def test_hits_fill_their_room_and_no_more(world: World) -> None:
    with write_transaction(world.team) as tx:
        add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="birds",
            messages=[
                NewMessage("user", f"Day {n}: the heron stood at the pond {'again ' * 30}.")
                for n in range(200)
            ],
        )
    large = given(world, "Where did the heron stand?")
    small = given(world, "Where did the heron stand?", window=8_000)
    assert len(large.hits) > len(small.hits) > 8
    assert MOST_PERSONAL * 0.9 < large.gauge.memory <= MOST_PERSONAL
    assert 8_000 / 4 * 0.9 < small.gauge.memory <= 8_000 / 4


def test_of_a_file_that_is_too_long_the_part_is_given_that_answers(world: World) -> None:
    lines = [f"- Point {n} of the garden plan was settled.\n" for n in range(300)]
    lines.insert(250, "- The canoe hangs in the boathouse.\n")
    text = f"# Memory\n\n<!-- pinned -->\n- Allergic to nuts.\n<!-- /pinned -->\n{''.join(lines)}"
    save(world, "MEMORY.md", text, world.customer)
    (one,) = given(world, "Where does the canoe hang?", window=4_000).personal
    assert one.cut > 0
    assert "boathouse" in one.rendered
    assert "- Allergic to nuts." in one.rendered
    assert (one.holds(4), one.holds(256), one.holds(290)) == (True, True, False)
    assert f"… ({one.cut} characters more)" in one.rendered


def test_what_a_long_file_could_not_give_is_found(world: World) -> None:
    lines = [f"- Plan {n} of the canoe club of Aveiro was settled.\n" for n in range(300)]
    save(world, "MEMORY.md", "".join(lines), world.customer)
    context = given(world, "Which plan of the canoe club was settled?", window=4_000)
    (one,) = context.personal
    lines_found = {quoted.hit.line for quoted in context.hits if quoted.hit.file}
    assert not any(one.holds(line) for line in lines_found)


def test_of_statements_that_answer_alike_the_trusted_one_comes_first(world: World) -> None:
    said = ("Keeps the cello at school.", "Keeps the cello at home.", "Keeps the cello at church.")
    lines = "".join(f"- {one}\n" for one in said)
    save(world, "KNOWLEDGE.md", f"# Knowledge\n\n{lines}", world.customer)
    Fact.objects.filter(raw_text__in=said).update(source="agent")
    Fact.objects.filter(raw_text=said[1]).update(confirmed_at=timezone.now())
    context = given(world, "Where is the cello kept?")
    assert context.hits[0].said == said[1]
    assert {one.said for one in context.hits} >= set(said)
