import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.extraction.requests import request
from memoryweb.memory.models import Conversation, File, Message
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs.models import Run
from tests.commands.calling import Answer, run
from tests.language.test_credentials import draw
from tests.world import World

pytestmark = pytest.mark.django_db
TALK = (
    ("user", "Hello there!"),
    ("assistant", "Hello, how can I help?"),
    ("user", "I moved to Porto yesterday."),
    ("user", "My sister Carla plays the cello."),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, lines())), encoding="utf-8")
    return path


def lines(conversation: str = "c") -> list[dict[str, Any]]:
    return [
        {
            "conversation": conversation,
            "id": f"t{number}",
            "role": role,
            "name": "Ann",
            "content": text,
            "timestamp": f"2026-03-01T12:0{number}:00Z",
        }
        for number, (role, text) in enumerate(TALK)
    ]


def bring(world: World, file: Path, owner: str = "api:helpdesk/customer-1", *more: str) -> Answer:
    place = ("--team", world.team.slug, "--agent", "Atlas", "--owner", owner)
    return run("import_conversations", *place, str(file), *more)


def extract(world: World, *more: str) -> Answer:
    return run("extract", "--team", world.team.slug, "--agent", "atlas", "--json", *more)


def test_a_file_is_imported_and_its_extraction_queued(world: World, file: Path) -> None:
    answer = bring(world, file)
    assert "Imported 4 messages of 1 conversations for api:helpdesk/customer-1" in answer.output
    assert "Extraction is queued." in answer.output
    made = Conversation.objects.get()
    assert (made.owner, made.source) == (world.customer, "import")
    assert Run.objects.get().trigger == "command"


def test_an_old_history_is_dreamt_over_by_itself(world: World, file: Path) -> None:
    bring(world, file)
    extract(world)
    weeks = Run.objects.filter(kind="dream", trigger="backfill", owner=world.customer)
    assert weeks.get().result == {"week": 1, "weeks": 1}
    run("run_pending")
    assert weeks.get().status == "succeeded"
    memory = File.objects.get(path="MEMORY.md", owner=world.customer)
    assert "My sister Carla plays the cello." in memory.raw_content


def test_importing_again_adds_nothing(world: World, file: Path) -> None:
    bring(world, file)
    answer = bring(world, file, "api:helpdesk/customer-1", "--json").json
    assert (answer["added"], answer["duplicates"]) == (0, 4)
    assert Message.objects.count() == 4


@pytest.mark.parametrize(
    ("owner", "source", "external_id"),
    [
        ("slack:U77", "slack", "U77"),
        ("slack:room:R1", "slack:room", "R1"),
        ("shared", "system", "system"),
    ],
)
def test_an_owner_is_met_on_first_sight(
    world: World, file: Path, owner: str, source: str, external_id: str
) -> None:
    assert not bring(world, file, owner).failure
    met = Conversation.objects.get().owner
    assert (met.source, met.external_id) == (source, external_id)


def test_a_customer_of_an_integration_is_met(world: World, file: Path) -> None:
    assert not bring(world, file, "api:helpdesk/new").failure
    assert Conversation.objects.get().owner.integration == world.integration


def test_a_member_is_met_by_the_id(world: World, file: Path) -> None:
    assert not bring(world, file, f"user:{world.vera.pk}").failure
    assert Conversation.objects.get().owner.person == world.vera


@pytest.mark.parametrize("owner", ["nobody", "api:elsewhere/1", "user:1", "api:new"])
def test_an_owner_that_cannot_be_is_refused(world: World, file: Path, owner: str) -> None:
    before = Owner.objects.count()
    assert bring(world, file, owner).failure
    assert Owner.objects.count() == before
    assert not Conversation.objects.exists()


def test_a_bad_line_is_named_and_nothing_imported(world: World, file: Path) -> None:
    with file.open("a") as stream:
        stream.write('\n{"conversation": "c", "role": "boss", "content": "x"}')
    answer = bring(world, file, "slack:U1", "--json")
    assert answer.json["field"] == "line 5.role"
    assert "line 5.role" in answer.failure
    assert not Conversation.objects.exists()


def test_a_refused_file_makes_no_owner(world: World, file: Path) -> None:
    token = "AKIA" + "QYLPMN5HHHFPZAM2"
    file.write_text(json.dumps({"conversation": token, "role": "user", "content": "Hello."}))
    before = Owner.objects.count()
    assert bring(world, file, "slack:U9").failure
    assert Owner.objects.count() == before


def test_a_file_that_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    assert "cannot be used" in bring(world, tmp_path / "none.jsonl").failure


def test_one_file_may_be_imported_for_two_owners(world: World, file: Path) -> None:
    bring(world, file)
    assert bring(world, file, "slack:U1", "--json").json["added"] == 4
    owners = {"api:helpdesk/customer-1", "slack:U1"}
    assert {talk.owner.shown_as for talk in Conversation.objects.all()} == owners


def test_extract_works_what_waits_and_says_so(world: World, file: Path) -> None:
    bring(world, file)
    answer = extract(world)
    assert [(run["owner"], run["status"], run["lines"]) for run in answer.json["runs"]] == [
        ("api:helpdesk/customer-1", "succeeded", 2)
    ]
    assert File.objects.filter(owner=world.customer, path="memory/2026-03-01.md").exists()


def test_extract_waits_for_no_cooldown(world: World, file: Path) -> None:
    bring(world, file)
    extract(world)
    file.write_text("\n".join(map(json.dumps, lines("d"))))
    bring(world, file)
    assert extract(world).json["runs"][0]["status"] == "no_change"


def test_extract_says_when_nothing_waits(world: World) -> None:
    assert "no messages to extract" in extract(world).json["message"]


def test_extract_of_one_owner_says_why_it_was_skipped(world: World) -> None:
    answer = extract(world, "--owner", "api:helpdesk/customer-1").json
    assert answer["runs"][0]["status"] == "skipped"
    assert answer["runs"][0]["reason"] == "nothing_new"


def test_run_pending_waits_for_no_cooldown_either(world: World, file: Path) -> None:
    bring(world, file)
    extract(world)
    Conversation.objects.update(source="api", extracted_upto=0)
    with write_transaction(world.team) as tx:
        request(tx, agent=world.agent, owner=world.customer, trigger="conversation")
    assert Run.objects.filter(status="queued", due_at__gt=timezone.now()).exists()
    run("run_pending", "--until-idle")
    assert not Run.objects.filter(status="queued").exists()


def test_a_secret_as_owner_makes_none(world: World, file: Path) -> None:
    owner = "slack:x_ghp_" + draw(36)
    place = ("--team", world.team.slug, "--agent", "atlas", "--owner", owner)
    answer = run("import_conversations", *place, str(file))
    assert "looks like a secret" in answer.failure
    assert not world.team.owners.filter(external_id__contains="ghp_").exists()
