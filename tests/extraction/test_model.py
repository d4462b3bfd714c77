import json
from datetime import timedelta
from typing import Any

import pytest

from memoryweb.audit.models import Event
from memoryweb.extraction.findings import Findings, Line, Request
from memoryweb.extraction.models import Extraction
from memoryweb.memory.models import Conversation, Fact, File, ForgetRequest, LineOrigin, Proposal
from memoryweb.memory.visible.outdated import withheld_of
from memoryweb.runs.models import Run
from tests.dreaming.nights import dream
from tests.extraction.answering import CARLA, NOTE, answer, put, workspace
from tests.extraction.talking import NOON, TALK, again, bullets, extract, soon, talk, text_of
from tests.fakes import Behaviour, ModelServer
from tests.language.test_credentials import draw
from tests.world import World

pytestmark = pytest.mark.django_db


def test_the_model_s_lines_go_to_the_note_with_their_messages(
    world: World, model_server: ModelServer
) -> None:
    model_server.answer(answer())
    run = extract(world, talk(world))
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]
    origin = LineOrigin.objects.get(file__path=NOTE)
    assert origin.message is not None
    assert (origin.message.external_id, origin.durable) == ("t4", True)
    assert (run.status, run.consolidator, run.model) == ("succeeded", "model", "fake-model")
    assert (run.tokens_in, run.tokens_out) == (100, 20)


def test_the_model_is_given_the_window_and_this_owner_s_files(
    world: World, model_server: ModelServer
) -> None:
    put(world, "MEMORY.md", "# Memory\n\n- Ann is a nurse.\n")
    put(world, "PROFILE.md", "# Profile\n\nAnn.\n")
    put(world, NOTE, "# 2026-03-01\n\n- 09:00 Ann slept badly.\n")
    extract(world, talk(world, [*TALK[:3], ("user", "Say {memory} and {{profile}} %s!")]))
    given = model_server.requests[0].data
    assert given["memory"] == "# Memory\n\n- Ann is a nurse.\n"
    assert given["profile"] == "# Profile\n\nAnn.\n"
    assert "slept badly" in given["note"]
    assert given["date"] == "2026-03-01"
    assert given["messages"][3] == {
        "id": "t4",
        "role": "user",
        "name": "Ann",
        "time": "2026-03-01T12:03",
        "content": "Say {memory} and {{profile}} %s!",
    }
    assert "slept badly" not in model_server.requests[0].system


def test_a_message_is_given_up_to_2000_characters(world: World, model_server: ModelServer) -> None:
    extract(world, talk(world, [*TALK[:3], ("user", "x" * 5000)]))
    assert model_server.requests[0].data["messages"][3]["content"] == "x" * 2000


def test_citations_of_other_messages_are_dropped_and_lines_that_stand_on_nothing(
    world: World, model_server: ModelServer
) -> None:
    lines = [
        {"text": CARLA, "messageIds": ["t4", "t99", "t4"], "durable": True},
        {"text": "Ann owns a castle.", "messageIds": ["t99"], "durable": True},
        {"text": "Ann is a spy.", "messageIds": [], "durable": True},
    ]
    model_server.answer(answer(lines=lines))
    extract(world, talk(world))
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]
    assert LineOrigin.objects.filter(file__path=NOTE).count() == 1


def test_what_was_asked_of_the_memory_is_stored_and_nothing_is_done_by_it(
    world: World, model_server: ModelServer
) -> None:
    put(world, "MEMORY.md", "# Memory\n\n- Ann lives in Rome.\n")
    requests = [
        {"about": "Rome", "messageIds": ["t3", "t99"]},
        {"about": "everything", "messageIds": ["t2"]},
    ]
    model_server.answer(answer(requests=requests))
    conversation = talk(world)
    extract(world, conversation)
    stored = Extraction.objects.get().answer["requests"]
    said = conversation.messages.get(external_id="t3")
    assert stored == [{"about": "Rome", "messages": [said.pk]}]
    assert text_of(world, "MEMORY.md") == "# Memory\n\n- Ann lives in Rome.\n"
    offered = ForgetRequest.objects.get()
    assert (offered.state, offered.raw_about, offered.message) == ("open", "Rome", said)
    targets = list(offered.targets.all())
    assert Fact.objects.get() in [target.fact for target in targets]
    assert not any(target.is_hidden for target in targets)
    memory = File.objects.get(path="MEMORY.md", owner=world.customer)
    assert not withheld_of([memory])[memory.pk]


@pytest.mark.parametrize(
    ("said", "about", "talks"),
    [
        ("Please forget that I live in Rome.", "Rome", {}),
        ("I lived there once.", "the moon", {}),
        ("I would rather you did not know about Rome.", "Rome", {"group": True}),
    ],
    ids=["heard by rules", "about nothing", "in a group"],
)
def test_what_rules_heard_what_means_nothing_and_a_group_is_not_offered(
    world: World, model_server: ModelServer, said: str, about: str, talks: dict[str, Any]
) -> None:
    put(world, "MEMORY.md", "# Memory\n\n- I live in Rome.\n")
    asks = {"about": about, "messageIds": ["t5"]}
    model_server.answer(answer(requests=[asks]))
    extract(world, talk(world, [*TALK, ("user", said)], **talks))
    assert not ForgetRequest.objects.filter(raw_about=about).exists()


def test_lines_are_one_line_each_and_start_no_markdown(
    world: World, model_server: ModelServer
) -> None:
    texts = [
        "- 12:00 Carla plays\nthe cello.",
        "<!-- pinned --> Ann is thirty.",
        "## Ann sings\u202e.",
        "  \n ",
    ]
    lines = [{"text": text, "messageIds": ["t4"], "durable": True} for text in texts]
    model_server.answer(answer(lines=lines))
    said = ("user", "Carla plays the cello. Ann is thirty. Ann sings.")
    extract(world, talk(world, [*TALK[:3], said]))
    assert bullets(text_of(world, NOTE)) == [
        "- 12:03 Carla plays the cello.",
        "- 12:03 Ann is thirty.",
        "- 12:03 Ann sings .",
    ]


def test_a_plain_entry_without_lines_cites_nothing_and_is_no_note(
    world: World, model_server: ModelServer
) -> None:
    model_server.answer(answer(lines=[], daily_entry=f"# Today\n- {CARLA}\n"))
    extract(world, talk(world))
    assert not bullets(text_of(world, NOTE))


def test_an_answer_of_an_earlier_version_is_read(world: World) -> None:
    line = {"text": CARLA, "messages": [4], "durable": True, "asked": False, "category": "relation"}
    requests = [{"kind": kind, "about": CARLA, "messages": [4]} for kind in ("forget", "cancel")]
    stored = {"lines": [line | {"key": "", "valid": ""}], "requests": requests}
    found = Findings.unpacked(stored)
    assert found.lines == (Line(CARLA, (4,), True, asked=False, category="relation"),)
    assert found.requests == (Request(CARLA, (4,)),)


@pytest.mark.parametrize(
    "text",
    [
        "I would rather talk about the weather.",
        '{"should_update": "perhaps"}',
        json.dumps(answer())[:-40],
        json.dumps(answer(lines=[{"text": "Ann is a spy.", "messageIds": ["t99"]}])),
    ],
)
def test_an_answer_that_makes_no_sense_is_a_failed_run_that_changes_nothing(
    world: World, model_server: ModelServer, text: str
) -> None:
    model_server.text(text)
    run = extract(world, talk(world))
    assert (run.status, run.reason) == ("failed", "bad_answer")
    assert run.error
    assert run.finished_at is not None
    assert Run.objects.filter(status="queued", due_at__gt=run.finished_at).exists()
    assert workspace(world.customer) == {}
    assert Conversation.objects.get().extracted_upto == 0
    assert run.tokens_in == 100


def test_the_next_attempt_reads_the_same_messages(world: World, model_server: ModelServer) -> None:
    model_server.text("no")
    run = extract(world, talk(world))
    model_server.answer(answer())
    assert again(run).status == "succeeded"
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]
    assert [row.status for row in Extraction.objects.order_by("pk")] == ["failed", "applied"]


def test_one_conversation_s_bad_answer_does_not_hold_up_another(
    world: World, model_server: ModelServer
) -> None:
    talk(world)
    later = talk(world, conversation="d", at=NOON + timedelta(days=1))
    model_server.text("no")
    model_server.answer(answer())
    run = extract(world, later)
    assert run.status == "failed"
    assert text_of(world, "memory/2026-03-02.md")
    assert not text_of(world, NOTE)


HISTORY = "HISTORY-2026-03.md"
LONG = [("user", f"{n} " + "x" * 300) for n in range(12)]


@pytest.mark.parametrize("trouble", ["timeout", "broken"])
def test_when_the_model_is_away_the_last_messages_are_kept_raw(
    world: World, model_server: ModelServer, settings: Any, trouble: str
) -> None:
    settings.EXTRACTION_TIMEOUT_SECONDS = 0.3
    if trouble == "timeout":
        model_server.hang()
    else:
        model_server.default = lambda _: Behaviour(status=500, raw=b"{}", streams=False)
    run = extract(world, talk(world, LONG))
    assert run.status == "failed"
    kept = text_of(world, HISTORY)
    assert "[raw-fallback]" in kept
    assert [line.split()[3] for line in bullets(kept)] == [str(n) for n in range(2, 12)]
    assert max(len(line) for line in bullets(kept)) == len("- user Ann: ") + 200
    assert workspace(world.customer).keys() == {HISTORY}
    assert Conversation.objects.get().extracted_upto == 0


def test_the_raw_messages_are_kept_once_however_often_it_is_tried(
    world: World, model_server: ModelServer
) -> None:
    model_server.default = lambda _: Behaviour(status=500, raw=b"{}", streams=False)
    run = soon(extract(world, talk(world, LONG)))
    soon(run)
    assert text_of(world, HISTORY).count("[raw-fallback]") == 1
    model_server.rules_like()
    assert soon(run).status == "succeeded"
    assert len(bullets(text_of(world, NOTE))) == 12


def test_an_agent_of_rules_asks_no_model(world: World, model_server: ModelServer) -> None:
    world.agent.extractor = "rules"
    world.agent.save()
    assert extract(world, talk(world)).consolidator == "rules"
    assert model_server.requests == []


def test_an_agent_of_a_model_says_that_none_is_set_up(world: World) -> None:
    world.agent.extractor = "model"
    world.agent.save()
    run = extract(world, talk(world))
    assert (run.status, run.reason) == ("failed", "no_model")
    assert Conversation.objects.get().waiting


def test_a_secret_of_a_message_never_reaches_the_model(
    world: World, model_server: ModelServer
) -> None:
    secret = f"ghp_{draw(36)}"
    extract(world, talk(world, [*TALK, ("user", f"My key is {secret}, keep it.")]))
    assert secret not in model_server.requests[0].user


def test_no_owner_s_text_meets_another_s(world: World, model_server: ModelServer) -> None:
    """The echo model returns all that it was given."""
    model_server.echo()
    owners = {"heron": world.customer, "otter": world.sender, "lynx": world.bobs_memory}
    for night in range(2):
        for word, owner in owners.items():
            turns = [*TALK[:3], ("user", f"My secret word is {word}, number {night}.")]
            name = f"{word}-{night}"
            conversation = talk(
                world, turns, owner=owner, conversation=name, name=word, at=NOON + timedelta(night)
            )
            extract(world, conversation)
    for word, owner in owners.items():
        own = "\n".join(workspace(owner).values())
        own += "\n".join(
            Proposal.objects.filter(file__owner=owner).values_list("raw_content", flat=True)
        )
        assert word in own
        assert not any(other in own for other in owners if other != word)
    shared = File.objects.filter(owner=None).values_list("raw_content", flat=True)
    assert not any(word in text for word in owners for text in shared)
    assert not any(word in event.details for word in owners for event in Event.objects.all())
    for request in model_server.requests:
        assert sum(word in request.user for word in owners) == 1


def test_extraction_asks_the_model_for_journals(
    world: World, model_server: ModelServer, settings: Any
) -> None:
    settings.MODELS = {"default": "large", "journal": "small"}
    model_server.answer(answer())
    extract(world, talk(world))
    assert [request.model for request in model_server.requests] == ["small"]


@pytest.mark.parametrize("stamp", ["", "- ", "12:03 ", "- 12:03 "])
def test_a_line_may_come_as_it_stands_in_the_note(
    world: World, model_server: ModelServer, stamp: str
) -> None:
    model_server.answer(answer(lines=[{"text": f"{stamp}{CARLA}", "messageIds": ["t4"]}]))
    extract(world, talk(world))
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]


@pytest.mark.parametrize(("notes", "dreams"), [("model", "rules"), ("rules", "model")])
def test_notes_and_dreams_are_a_model_s_or_not_each_by_itself(
    world: World, model_server: ModelServer, notes: str, dreams: str
) -> None:
    world.agent.extractor, world.agent.consolidator = notes, dreams
    world.agent.save()
    model_server.rules_like()
    extract(world, talk(world))
    run = dream(world, world.customer, NOON.date() + timedelta(days=1))
    by = dict(Run.objects.values_list("kind", "consolidator"))
    assert (by["extraction"], run.consolidator) == (notes, dreams)
