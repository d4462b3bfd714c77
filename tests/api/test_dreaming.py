import json

import pytest
from django.utils import timezone

from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.models import Event
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.models import AuthorKind, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.memory.writing.write import NewLine, append
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.api.callers import Callers
from tests.world import World


def note(world: World, owner: Owner | None, *texts: str) -> None:
    """Lines of today's note that were asked to be remembered."""
    place = Place(world.agent, owner, f"memory/{timezone.now():%Y-%m-%d}.md")
    lines = [NewLine(f"- 09:00 {text}", Origin(asked=True)) for text in texts]
    with write_transaction(world.team) as tx:
        append(tx, place, lines, writer=Writer(AuthorKind.AGENT))


def finish() -> None:
    list(engine.run_pending())


def test_a_dream_is_queued_and_read_until_it_is_done(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, None, "The harbour office opens at eight.")
    asked = callers.member.post(f"{memory}/emergence", {"owner": "shared"})
    [run] = asked.json()["runs"]
    assert (asked.status_code, run["status"], run["trigger"]) == (202, "queued", "api")
    finish()
    assert callers.member.get(f"/runs/{run['id']}").json()["status"] == "succeeded"


def test_without_an_owner_everyone_with_new_notes_dreams(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, world.customer, "Inês is allergic to nuts.")
    note(world, None, "The harbour office opens at eight.")
    callers.admin.post(f"{memory}/emergence")
    assert {run.owner_id for run in Run.objects.all()} == {None, world.customer.pk}


def test_a_member_is_told_of_the_runs_that_may_be_seen(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, world.customer, "Inês is allergic to nuts.")
    note(world, world.bobs_memory, "Bob is on holiday in May.")
    note(world, None, "The harbour office opens at eight.")
    runs = callers.member.post(f"{memory}/emergence").json()["runs"]
    assert {run["owner"] for run in runs} == {"shared", f"user:{world.bob.pk}"}


def test_a_program_has_to_name_whose_dream_it_wants(callers: Callers, memory: str) -> None:
    assert callers.helpdesk.post(f"{memory}/emergence").json()["code"] == "owner_required"
    asked = callers.helpdesk.post(f"{memory}/emergence", {"endUserId": "customer-1"})
    assert [run["owner"] for run in asked.json()["runs"]] == ["api:helpdesk/customer-1"]


def test_asking_twice_gets_the_same_run(callers: Callers, memory: str) -> None:
    body = {"owner": "shared"}
    first, again = (callers.member.post(f"{memory}/emergence", body).json() for _turn in range(2))
    assert first["runs"] == again["runs"]


def test_a_second_dream_waits_for_the_cooldown(world: World, callers: Callers, memory: str) -> None:
    note(world, None, "The harbour office opens at eight.")
    callers.member.post(f"{memory}/emergence", {"owner": "shared"})
    finish()
    again = callers.admin.post(f"{memory}/emergence", {"owner": "shared"})
    assert (again.status_code, again.json()["code"]) == (429, "cooling_down")
    assert 0 < int(again.headers["Retry-After"]) <= 300


def test_asking_for_a_dream_is_recorded(world: World, callers: Callers, memory: str) -> None:
    callers.member.post(f"{memory}/emergence", {"owner": "shared"})
    event = Event.objects.get(team_id=world.team.pk, action="run.requested")
    assert (event.actor_id, json.loads(event.details)["trigger"]) == (str(world.bob.pk), "api")


def test_the_report_tells_what_was_promoted_and_shows_the_diff(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, None, "The harbour office opens at eight.")
    [run] = callers.member.post(f"{memory}/emergence", {"owner": "shared"}).json()["runs"]
    finish()
    [listed] = callers.viewer.get(f"{memory}/dream/reports").json()["items"]
    report = callers.viewer.get(f"{memory}/dream/reports/{run['id']}").json()
    assert listed == {**report, "diff": None, "operations": None}
    [operation] = report["operations"]
    assert (operation["outcome"], operation["old"]) == ("add", [])
    assert operation["new"] == "The harbour office opens at eight."
    assert (report["mode"], report["consolidator"]) == ("manual", "rules")
    assert report["candidateCount"] == report["promotedCount"] == 1
    assert "harbour office" in report["diff"]
    assert "MEMORY.md" in report["diff"]
    assert report["diary"]


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_the_report_says_what_a_person_decided_about_what_waited(
    world: World, callers: Callers, memory: str, decision: str
) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    note(world, None, "The harbour office opens at eight.")
    [run] = callers.member.post(f"{memory}/emergence", {"owner": "shared"}).json()["runs"]
    finish()
    path = f"{memory}/dream/reports/{run['id']}"
    [operation] = callers.viewer.get(path).json()["operations"]
    assert (operation["outcome"], operation["factId"]) == ("waits", None)
    assert operation["reason"]
    proposal = Proposal.objects.get(run=run["id"])
    with write_transaction(world.team) as tx:
        getattr(proposals, decision)(tx, proposal, by=world.bob)
    [operation] = callers.viewer.get(path).json()["operations"]
    assert (operation["outcome"], operation["reason"]) == (f"{decision}ed", "")
    assert bool(operation["factId"]) == (decision == "accept")


def test_a_dream_on_a_topic_reads_what_speaks_of_it(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, None, "The harbour office opens at eight.", "Tea is served at five.")
    asked = callers.member.post(
        f"{memory}/dreaming/focused", {"owner": "shared", "topic": " harbour "}
    )
    [run] = asked.json()["runs"]
    finish()
    report = callers.viewer.get(f"{memory}/dream/reports/{run['id']}").json()
    assert (asked.status_code, report["mode"], report["topic"]) == (202, "focused", "harbour")
    assert [one["new"] for one in report["operations"]] == ["The harbour office opens at eight."]
    blank = callers.member.post(f"{memory}/dreaming/focused", {"owner": "shared", "topic": " "})
    assert (blank.status_code, blank.json()["errors"][0]["field"]) == (400, "topic")


def test_what_a_dream_did_is_decided_by_its_entry(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, None, "The harbour office opens at eight.", "Tea is served at five.")
    [run] = callers.member.post(f"{memory}/emergence", {"owner": "shared"}).json()["runs"]
    finish()
    path = f"{memory}/dream/reports/{run['id']}"
    first, second = callers.viewer.get(path).json()["operations"]
    assert (first["key"], second["key"]) == ("0", "1")
    confirmed = callers.member.post(f"{path}/entries/0/confirm").json()
    assert (confirmed["id"], confirmed["confirmedBy"]) == (first["factId"], str(world.bob.pk))
    reworded = callers.member.post(f"{path}/entries/0/edit", {"text": "The office opens at nine."})
    assert reworded.json()["text"] == "The office opens at nine."
    assert callers.member.post(f"{path}/entries/9/confirm").status_code == 404
    forgotten = callers.admin.post(f"{path}/entries/1/forget").json()
    assert second["new"] in [one["text"] for one in forgotten["hidden"]]
    assert callers.viewer.get(path).json()["operations"][1]["new"] != second["new"]


def test_nobody_decides_an_entry_of_anothers_dream(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, world.customer, "Inês is allergic to nuts.")
    body = {"endUserId": "customer-1"}
    [run] = callers.helpdesk.post(f"{memory}/emergence", body).json()["runs"]
    finish()
    path = f"{memory}/dream/reports/{run['id']}/entries/0/confirm"
    assert callers.admin.post(path).status_code == 404
    assert callers.helpdesk.post(path).json()["code"] == "person_required"


def test_who_sees_owners_sees_counts_of_a_personal_report_and_no_text(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, world.customer, "Inês is allergic to nuts.")
    body = {"endUserId": "customer-1"}
    [run] = callers.helpdesk.post(f"{memory}/emergence", body).json()["runs"]
    finish()
    report = callers.admin.get(f"{memory}/dream/reports/{run['id']}").json()
    texts = {name: report[name] for name in ("diff", "diary", "topic", "error")}
    assert texts == dict.fromkeys(texts)
    assert (report["status"], report["promotedCount"]) == ("succeeded", 1)


def test_the_status_has_its_fields(callers: Callers, memory: str) -> None:
    status = callers.viewer.get(f"{memory}/dreaming/status").json()
    assert status.keys() == {
        "dreamingEnabled", "schedule", "timeZone", "lastRun", "nextRunAt", "running",
        "pendingCandidates", "latestDiaryEntry", "prompts", "warnings",
    }  # fmt: skip
    assert (status["dreamingEnabled"], status["schedule"]) == (True, "02:00")


def test_a_candidate_explains_itself_before_the_dream(
    world: World, callers: Callers, memory: str
) -> None:
    note(world, None, "The harbour office opens at eight.")
    [candidate] = callers.viewer.get(f"{memory}/dreaming/candidates").json()["items"]
    assert candidate["text"] == "The harbour office opens at eight."
    assert candidate["components"].keys() == {
        "recall", "recency", "diversity", "freshness", "spread",
    }  # fmt: skip
    assert all(gate.keys() == {"name", "passed", "detail"} for gate in candidate["gates"])
    assert (candidate["lineNumber"], candidate["verdict"]) == (3, "promoted")


def test_the_diary_is_read_and_empty_before_the_first_dream(
    world: World, callers: Callers, memory: str
) -> None:
    assert callers.viewer.get(f"{memory}/dreaming/dreams").json()["content"] == ""
    note(world, None, "The harbour office opens at eight.")
    callers.member.post(f"{memory}/emergence", {"owner": "shared"})
    finish()
    assert (
        f"{timezone.now():%Y}" in callers.viewer.get(f"{memory}/dreaming/dreams").json()["content"]
    )


@pytest.mark.parametrize("path", ["dreaming/status", "dreaming/candidates", "dreaming/dreams"])
def test_ones_own_dreams_are_read_before_the_first_note(
    callers: Callers, memory: str, path: str
) -> None:
    assert callers.viewer.get(f"{memory}/{path}?owner=me").status_code == 200
