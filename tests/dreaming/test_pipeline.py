from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from memoryweb.agents.models import Agent, dream_time
from memoryweb.audit.models import Event
from memoryweb.dreaming import gates, schedule
from memoryweb.dreaming.models import Candidate, Report
from memoryweb.memory.agents import create_agent
from memoryweb.memory.models import AuthorKind, File, LineOrigin, Proposal
from memoryweb.memory.models.writer import Memory, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.dreaming.nights import NIGHT, dream, memory, note, text_of
from tests.soaking import first_in_gate
from tests.statements import statements
from tests.world import World


def test_a_durable_line_of_a_note_is_promoted_and_leads_back_to_it(world: World) -> None:
    source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    run = dream(world, world.customer)
    assert run.status == "succeeded"
    content = text_of(world, world.customer)
    (line,) = [n for n, t in enumerate(content.split("\n"), 1) if "Thursdays" in t]
    file = File.objects.of(world.agent.pk, world.customer.pk).get(path="MEMORY.md")
    origin = file.origins.get(line=line)
    assert (origin.source_file_id, origin.source_line, origin.run_id) == (source.pk, 3, run.pk)


def test_memory_diary_report_candidates_and_events_come_together(world: World) -> None:
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    run = dream(world, world.customer)
    report = Report.objects.get(run=run)
    assert {change["path"] for change in report.changes} == {"MEMORY.md", "DREAMS.md"}
    assert Candidate.objects.get(report=report).verdict == "promoted"
    assert "Thursdays" in text_of(world, world.customer, "DREAMS.md")
    actions = Event.objects.filter(run_id=run.pk).values_list("action", flat=True)
    assert {"run.requested", "run.finished", "file.written"} <= set(actions)


def test_what_a_dream_writes_is_in_no_readers_language(world: World) -> None:
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    with translation.override("de"):
        dream(world, world.customer)
    assert "- Learned: “" in text_of(world, world.customer, "DREAMS.md")


def test_repeating_a_night_changes_nothing(world: World) -> None:
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    first = dream(world, world.customer)
    before = (text_of(world, world.customer), text_of(world, world.customer, "DREAMS.md"))
    assert dream(world, world.customer).pk == first.pk
    assert (text_of(world, world.customer), text_of(world, world.customer, "DREAMS.md")) == before


def test_the_next_night_over_the_same_notes_promotes_nothing_and_says_why(world: World) -> None:
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, world.customer)
    run = dream(world, world.customer, NIGHT + timedelta(days=1))
    assert run.status == "no_change"
    assert "Not learned: 1 already in MEMORY.md." in Report.objects.get(run=run).diary


def test_a_new_value_replaces_the_old_one_and_the_report_tells_it(world: World) -> None:
    old, new = "Marta's team ships on Fridays.", "Marta's team ships on Thursdays now."
    note(world, world.customer, NIGHT, old)
    dream(world, world.customer)
    note(world, world.customer, NIGHT + timedelta(days=1), new)
    run = dream(world, world.customer, NIGHT + timedelta(days=1))
    content = text_of(world, world.customer)
    assert [line for line in content.split("\n") if "ships" in line] == [f"- {new}"]
    report = Report.objects.get(run=run)
    assert f"“{old[:-1]}” → “{new[:-1]}”." in report.diary
    operation = report.operations.get()
    assert (operation.does, operation.before, operation.after) == ("add", [old], new)
    assert (operation.why, operation.code, operation.waits) == ("superseded", "", "")
    outdated = Candidate.objects.get(report=report, text=old)
    assert (
        gates.why(outdated.reason, outdated.gates)
        == "A newer note says otherwise (memory/2026-11-21.md:3)."
    )


def test_a_fuller_line_stands_on_the_notes_of_both(world: World) -> None:
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, world.customer)
    fuller = "Marta's team ships on Thursdays, so the code freeze is on Wednesdays."
    note(world, world.customer, NIGHT + timedelta(days=1), fuller)
    dream(world, world.customer, NIGHT + timedelta(days=1))
    file = File.objects.of(world.agent.pk, world.customer.pk).get(path="MEMORY.md")
    line = file.raw_content.split("\n").index(f"- {fuller}") + 1
    sources = file.origins.filter(line=line).exclude(source_file=None)
    said = set(sources.values_list("source_file__path", flat=True))
    assert said == {"memory/2026-11-20.md", "memory/2026-11-21.md"}


def test_without_notes_the_run_is_skipped_with_a_reason(world: World) -> None:
    run = dream(world, world.customer)
    assert (run.status, run.reason) == ("skipped", "no_notes")


def test_a_note_of_eight_days_ago_is_not_looked_at(world: World) -> None:
    note(world, world.customer, NIGHT - timedelta(days=8), "Marta's team ships on Thursdays.")
    assert dream(world, world.customer).status == "skipped"


def test_a_dream_never_reads_the_notes_of_another_owner(world: World) -> None:
    note(world, world.sender, NIGHT, "Canary of the sender.")
    note(world, None, NIGHT, "Canary of everyone.")
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    run = dream(world, world.customer)
    written = text_of(world, world.customer) + text_of(world, world.customer, "DREAMS.md")
    assert "Canary" not in written + str(run.inputs)
    assert not Candidate.objects.filter(report__run=run, text__contains="Canary").exists()


def test_what_a_person_wrote_and_pinned_stays(world: World) -> None:
    person = Writer(AuthorKind.PERSON, user=world.alice)
    pinned = "<!-- pinned -->\n- Pinned.\n<!-- /pinned -->\n"
    text = f"# Memory\n\n- Marta's team ships on Fridays.\n\n{pinned}"
    memory(world, world.customer, text, person)
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, world.customer)
    content = text_of(world, world.customer)
    assert "- Marta's team ships on Fridays.\n" in content
    assert pinned in content


def test_the_review_policy_keeps_the_change_as_a_proposal(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    run = dream(world, world.customer)
    assert (run.status, run.reason) == ("needs_review", "policy")
    assert "Thursdays" not in text_of(world, world.customer)
    assert "Thursdays" in Proposal.objects.get(run=run).raw_content


def test_an_accepted_proposal_is_written_with_its_line_origins(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    source = note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    proposal = Proposal.objects.get(run=dream(world, world.customer))
    with write_transaction(world.team) as tx:
        proposals.accept(tx, proposal, by=world.alice)
    assert "Thursdays" in text_of(world, world.customer)
    assert LineOrigin.objects.filter(file=proposal.file, source_file=source).exists()


def test_what_a_person_rejected_is_not_proposed_again(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    proposal = Proposal.objects.get(run=dream(world, world.customer))
    with write_transaction(world.team) as tx:
        proposals.reject(tx, proposal, by=world.alice)
    run = dream(world, world.customer, NIGHT + timedelta(days=1))
    assert run.status == "no_change"
    candidate = Candidate.objects.get(report__run=run)
    assert candidate.verdict == "rejected"


@pytest.mark.parametrize(("per_note", "others"), first_in_gate(1, [(40, 0), (4, 0), (4, 10)]))
def test_a_rules_dream_over_seven_notes_takes_at_most_46_statements(
    world: World, per_note: int, others: int
) -> None:
    for n in range(others):
        with write_transaction(world.team) as tx:
            create_agent(tx, name=f"Other {n}")
    for ago in range(7):
        day = NIGHT - timedelta(days=ago)
        note(
            world,
            world.customer,
            day,
            *(f"Box {ago}-{n} holds {n} red lamps." for n in range(per_note)),
        )
    memory(world, world.customer, "# Memory\n\n- Marta likes green tea.\n")
    with write_transaction(world.team) as tx:
        run = schedule.request_night(
            tx, Memory(world.agent, world.customer), NIGHT, trigger="command"
        ).run
    with CaptureQueriesContext(connection) as queries:
        engine.work(run.pk)
    assert Run.objects.get(pk=run.pk).status == "succeeded"
    assert len(statements(queries)) <= 46


def test_the_schedule_queues_each_owner_with_new_notes_once(world: World) -> None:
    now = dream_time(world.agent, NIGHT) + timedelta(minutes=1)
    Agent.objects.update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now - timedelta(minutes=1))
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    note(world, None, NIGHT, "The office opens at eight.")
    assert schedule.tick(now) == 2
    assert schedule.tick(now) == 0
    owners = Run.objects.filter(kind="dream", night=NIGHT).values_list("owner", flat=True)
    assert set(owners) == {world.customer.pk, None}


def test_after_a_long_downtime_there_is_one_catch_up_run(world: World) -> None:
    now = dream_time(world.agent, NIGHT) + timedelta(hours=5)
    Agent.objects.update(next_dream_at=None)
    Agent.objects.filter(pk=world.agent.pk).update(next_dream_at=now - timedelta(days=9))
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    assert schedule.tick(now) == 1
    agent = Agent.objects.get(pk=world.agent.pk)
    assert agent.next_dream_at == dream_time(agent, NIGHT + timedelta(days=1))


def test_one_agent_with_a_bad_time_zone_stops_no_other(world: World) -> None:
    now = dream_time(world.agent, NIGHT) + timedelta(minutes=1)
    Agent.objects.update(next_dream_at=None)
    due = Agent.objects.filter(pk__in=[world.agent.pk, world.other_agent.pk])
    due.update(next_dream_at=now - timedelta(minutes=1))
    Agent.objects.filter(pk=world.other_agent.pk).update(time_zone="Atlantis/Capital")
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    assert schedule.tick(now) == 1


def test_two_requests_by_hand_get_one_run(world: World) -> None:
    with write_transaction(world.team) as tx:
        first = schedule.request(tx, Memory(world.agent, None), trigger="person", user=world.alice)
        second = schedule.request(tx, Memory(world.agent, None), trigger="api")
    assert (first.created, second.created) == (True, False)
    assert first.run == second.run


def test_a_second_dream_by_hand_waits_for_the_cooldown(world: World) -> None:
    note(world, None, datetime.now(UTC).date(), "The office opens at eight.")
    with write_transaction(world.team) as tx:
        run = schedule.request(
            tx, Memory(world.agent, None), trigger="person", user=world.alice
        ).run
    engine.work(run.pk)
    with write_transaction(world.team) as tx, pytest.raises(schedule.CoolingDown) as waiting:
        schedule.request(tx, Memory(world.agent, None), trigger="person", user=world.alice)
    assert 0 < waiting.value.seconds <= 300


def test_a_newer_proposal_takes_the_place_of_an_undecided_one(world: World) -> None:
    Agent.objects.filter(pk=world.agent.pk).update(policy="review")
    note(world, world.customer, NIGHT, "Marta's team ships on Thursdays.")
    dream(world, world.customer)
    note(world, world.customer, NIGHT + timedelta(days=1), "Marta lives in Gothenburg.")
    dream(world, world.customer, NIGHT + timedelta(days=1))
    states = Proposal.objects.order_by("created_at").values_list("state", flat=True)
    assert list(states) == ["replaced", "pending"]
    pending = Proposal.objects.get(state="pending")
    assert {"Thursdays", "Gothenburg"} <= set(pending.raw_content.replace(".", " ").split())
