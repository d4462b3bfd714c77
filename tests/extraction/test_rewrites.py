"""A model that rewrites MEMORY.md or PROFILE.md: applied, held for a person, or refused."""

import json

import pytest

from memoryweb.extraction.models import Extraction
from memoryweb.provenance.models import LineOrigin
from memoryweb.review.models import Proposal
from memoryweb.workspace.models import AuthorKind, File, Revision
from tests.extraction.answering import CARLA, NOTE, answer, put
from tests.extraction.talking import bullets, extract, talk, text_of
from tests.fakes import Behaviour, ModelServer
from tests.language.test_credentials import draw
from tests.world import World

pytestmark = pytest.mark.django_db
MEMORY = "# Memory\n\n" + "".join(f"- Fact number {n} about the harbour.\n" for n in range(60))


def test_one_line_for_a_long_memory_does_it_no_harm(
    world: World, model_server: ModelServer
) -> None:
    put(world, "MEMORY.md", MEMORY)
    model_server.answer(answer(memory_update="- Only this.\n"))
    run = extract(world, talk(world))
    assert text_of(world, "MEMORY.md") == MEMORY
    assert (run.status, run.reason) == ("needs_review", "proposal")
    held = Proposal.objects.get()
    assert held.content == "- Only this.\n"
    assert "dropped" in [broken["guard"] for broken in held.broken]
    assert bullets(text_of(world, NOTE)) == [f"- 12:03 {CARLA}"]


@pytest.mark.parametrize("memory", ["", "  \n", None])
def test_an_empty_memory_is_no_memory_update(
    world: World, model_server: ModelServer, memory: str | None
) -> None:
    put(world, "MEMORY.md", MEMORY)
    model_server.answer(answer(memory_update=memory))
    assert extract(world, talk(world)).status == "succeeded"
    assert text_of(world, "MEMORY.md") == MEMORY
    assert not Proposal.objects.exists()


def test_a_small_correction_is_applied_and_knows_its_message(
    world: World, model_server: ModelServer
) -> None:
    file = put(world, "MEMORY.md", MEMORY)
    model_server.answer(answer(memory_update=f"{MEMORY}- {CARLA}\n- Ann is kind.\n"))
    said = talk(world)
    run = extract(world, said)
    assert run.status == "succeeded"
    assert text_of(world, "MEMORY.md") == f"{MEMORY}- {CARLA}\n- Ann is kind.\n"
    revision = Revision.objects.get(file=file, number=2)
    assert (revision.author_kind, revision.run) == ("extraction", run)
    assert revision.conversation_id == said.pk
    cited = LineOrigin.objects.filter(file=file, line=63).select_related("message")
    assert [origin.message.external_id for origin in cited if origin.message] == ["t4"]
    loose = LineOrigin.objects.filter(file=file, line=64).select_related("message")
    assert {o.message.external_id for o in loose if o.message} == {"t1", "t3", "t4"}


def test_a_profile_can_begin(world: World, model_server: ModelServer) -> None:
    model_server.answer(answer(profile_update="# Profile\n\nAnn lives in Porto."))
    extract(world, talk(world))
    file = File.objects.get(owner=world.customer, path="PROFILE.md")
    assert file.content == "# Profile\n\nAnn lives in Porto.\n"
    assert file.enabled
    assert File.objects.get(owner=None, agent=world.agent, path="PROFILE.md").revision == 1


def test_a_line_that_a_person_edited_is_put_back_by_code(
    world: World, model_server: ModelServer
) -> None:
    text = "# Memory\n\n- Ann is a nurse.\n"
    put(world, "MEMORY.md", text, by=AuthorKind.PERSON)
    model_server.answer(answer(memory_update="# Memory\n\n- Ann is a pilot.\n"))
    assert extract(world, talk(world)).status == "succeeded"
    assert text_of(world, "MEMORY.md") == text


def test_where_people_are_asked_first_nothing_is_rewritten_but_the_note_lands(
    world: World, model_server: ModelServer
) -> None:
    world.agent.policy = "review"
    world.agent.save()
    model_server.answer(answer(memory_update=f"# Memory\n\n- {CARLA}\n"))
    assert extract(world, talk(world)).status == "needs_review"
    assert bullets(text_of(world, NOTE))
    assert CARLA not in text_of(world, "MEMORY.md")
    assert Proposal.objects.get().broken == []


def test_what_a_person_rejected_is_not_proposed_again(
    world: World, model_server: ModelServer
) -> None:
    world.agent.policy = "review"
    world.agent.save()
    model_server.default = lambda _: Behaviour(
        json.dumps(answer(memory_update=f"# Memory\n\n- {CARLA}\n"))
    )
    extract(world, talk(world))
    Proposal.objects.update(state="rejected")
    extract(world, talk(world, conversation="d"))
    assert Proposal.objects.count() == 1


def test_a_secret_in_a_rewrite_is_held_and_never_stored(
    world: World, model_server: ModelServer
) -> None:
    secret = f"ghp_{draw(36)}"
    line = {"text": f"The key is {secret}", "messageIds": ["t4"], "durable": True}
    model_server.answer(answer(memory_update=f"# Memory\n\n- {secret}\n", lines=[line]))
    assert extract(world, talk(world)).status == "needs_review"
    assert "secret" in [broken["guard"] for broken in Proposal.objects.get().broken]
    stored = [
        *Proposal.objects.values_list("content", flat=True),
        *File.objects.values_list("content", flat=True),
        *map(json.dumps, Extraction.objects.values_list("answer", flat=True)),
    ]
    assert not any(secret in text for text in stored)
    assert "[secret: github-token]" in text_of(world, NOTE)


def test_two_windows_of_one_run_make_one_proposal(world: World, model_server: ModelServer) -> None:
    world.agent.policy = "review"
    world.agent.save()
    turns = [("user", f"I visited museum number {n} in Lisbon.") for n in range(31)]
    model_server.answer(answer(memory_update="# Memory\n\n- One.\n"))
    line = {"text": "Ann likes museums.", "messageIds": ["t31"], "durable": True}
    model_server.answer(answer(memory_update="# Memory\n\n- One.\n- Two.\n", lines=[line]))
    extract(world, talk(world, turns))
    assert model_server.requests[1].data["memory"] == "# Memory\n\n- One.\n"
    assert Proposal.objects.get().content == "# Memory\n\n- One.\n- Two.\n"
