import re
from datetime import UTC, date, datetime, timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.memory.models import AuthorKind, File
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from memoryweb.runs.models import Beat, Run
from tests.dreaming.nights import NIGHT, dream, note
from tests.web.pages import actions, fragment, text, tight, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage
from tests.world import World


def test_the_list_shows_runs_that_the_role_may_see(
    stage: Stage, vera: Client, audrey: Client
) -> None:
    address = url(stage.world.team, "agents_dreams", stage.world.agent.pk)
    viewers, auditors = text(vera.get(address)), text(audrey.get(address))
    shared, customers = _run_url(stage, stage.shared_run), _run_url(stage, stage.customers_run)
    assert shared in viewers
    assert customers not in viewers
    assert customers in auditors


def test_the_list_keeps_its_filter_in_the_address(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "agents_dreams", stage.world.agent.pk)
    page = text(audrey.get(f"{address}?whose=others"))
    assert _run_url(stage, stage.shared_run) not in page
    assert _run_url(stage, stage.customers_run) in page
    failed = text(audrey.get(f"{address}?outcome=failed"))
    assert _run_url(stage, stage.customers_run) not in failed


def test_a_dream_that_waits_says_when_no_worker_runs(stage: Stage, alice: Client) -> None:
    waiting = Run.objects.create(
        team=stage.world.team, agent=stage.world.agent, kind="dream", trigger="person"
    )
    said = "No background worker has started yet"
    assert said in text(alice.get(_run_url(stage, waiting)))
    progress = url(stage.world.team, "agents_progress", waiting.pk)
    assert said in text(fragment(alice, progress, "progress"))
    Beat.objects.create(name="tick", at=timezone.now())
    assert said not in text(alice.get(_run_url(stage, waiting)))


def test_a_dream_tells_what_it_did_and_how_it_ran(stage: Stage, vera: Client) -> None:
    page = text(vera.get(_run_url(stage, stage.shared_run)))
    assert SHARED in page
    how = page.partition('id="how"')[2]
    assert f">{NOTE}</a>" in how
    assert "/compare/" in how
    assert "0 (no model)" in how


def test_what_came_to_nothing_says_why_and_where_it_stands(stage: Stage, vera: Client) -> None:
    run = stage.shared_run
    run.report.operations.all().delete()
    run.report.candidates.update(verdict="kept", reason="untaken")
    page = tight(vera.get(_run_url(stage, run)))
    assert "learned nothing new." in page
    rest = page.partition('class="rest"')[2].partition("</details>")[0]
    assert "1 waits a day" in rest
    assert f"{NOTE}:3" in rest
    assert "It passed every check, but the model left it out." in rest


def test_one_of_a_night_comes_with_the_readers_own(stage: Stage, vera: Client, bob: Client) -> None:
    shared, bobs = stage.shared_run, stage.bobs_run
    Run.objects.filter(pk__in=[shared.pk, bobs.pk]).update(night=date(2026, 3, 2))
    for run in (shared, bobs):
        page = tight(bob.get(_run_url(stage, run)))
        assert page.index(SHARED) < page.index(PERSONAL)
    assert PERSONAL not in text(vera.get(_run_url(stage, shared)))


def test_what_memory_said_already_is_counted_as_known(stage: Stage, alice: Client) -> None:
    run = stage.shared_run
    gates = [{"name": "new", "passed": False, "detail": "MEMORY.md already says this in line 3."}]
    run.report.candidates.update(verdict="rejected", gates=gates)
    run.report.operations.all().delete()
    known = run.report.candidates.count()
    assert known
    assert f"{known} already known" in text(alice.get(_run_url(stage, run)))


def test_its_sentence_counts_what_its_list_tells(stage: Stage, alice: Client) -> None:
    run = stage.shared_run
    marks = [("add", "", "One."), ("replace", "Old.", "New."), ("retire", "Gone.", "")]
    run.report.operations.all().delete()
    for at, (does, before, after) in enumerate(marks):
        run.report.operations.create(
            team=run.team,
            position=at,
            does=does,
            why="expired" if before else "",
            before=[before] if before else [],
            after=after,
        )
    page = tight(alice.get(_run_url(stage, run)))
    assert "learned 1 thing, changed its mind about 1 and ended 1." in page
    told = page.partition('id="story"')[2].partition("</section>")[0]
    assert [told.count(f">{word}:") for word in ("Learned", "Changed", "Ended")] == [1, 1, 1]


def test_what_it_did_is_undone_in_place_and_stays_so(stage: Stage, alice: Client) -> None:
    address = _run_url(stage, stage.shared_run)
    undo = text(alice.get(address)).partition('data-key="u"')[0].rpartition('action="')[2]
    alice.post(undo.partition('"')[0], {"next": address})
    assert "Marked as not true." in text(alice.get(address))
    assert SHARED not in stage.memory.raw_content
    dream(stage.world, None)
    assert SHARED not in stage.memory.raw_content


def test_a_changed_statement_gets_its_old_words_back(stage: Stage, alice: Client) -> None:
    run = stage.shared_run
    run.report.operations.update(does="replace", why="superseded", before=["Tea is at nine."])
    page = text(alice.get(_run_url(stage, run)))
    assert 'name="text" value="Tea is at nine."' in page


def test_each_sentence_stands_once_and_leads_to_its_statement(stage: Stage, vera: Client) -> None:
    page = tight(vera.get(_run_url(stage, stage.shared_run)))
    told = page.partition('id="story"')[2].partition("</section>")[0]
    assert told.count(SHARED) == 1
    assert "/statements/" in told


def test_another_persons_dream_is_counted_without_its_text(stage: Stage, alice: Client) -> None:
    page = text(alice.get(_run_url(stage, stage.customers_run)))
    assert CUSTOMERS not in page
    assert "1 sentence about" in page
    assert NOTE not in page


def test_a_viewer_does_not_learn_of_another_persons_dream(stage: Stage, vera: Client) -> None:
    assert vera.get(_run_url(stage, stage.bobs_run)).status_code == 404


def test_ones_own_dream_is_readable_whatever_the_role(stage: Stage, bob: Client) -> None:
    assert PERSONAL in text(bob.get(_run_url(stage, stage.bobs_run)))


def test_dream_now_queues_a_run_and_leads_to_it(world: World, bob: Client) -> None:
    response = bob.post(url(world.team, "agents_dream", world.agent.pk))
    run = Run.objects.get()
    assert response["Location"] == url(world.team, "agents_run", run.pk)
    assert (run.status, run.trigger, run.user) == ("queued", "person", world.bob)
    assert actions(world.team)[-1] == "run.requested"


def test_dream_now_twice_is_one_run(world: World, bob: Client) -> None:
    for _turn in range(2):
        bob.post(url(world.team, "agents_dream", world.agent.pk))
    assert Run.objects.count() == 1


def test_dream_now_about_oneself_makes_ones_owner(world: World, alice: Client) -> None:
    alice.post(url(world.team, "agents_dream", world.agent.pk, query="?owner=me"))
    owner = Run.objects.get().owner
    assert owner is not None
    assert owner.person == world.alice


def test_dream_now_waits_for_the_cooldown(stage: Stage, bob: Client) -> None:
    stage.shared_run.trigger, stage.shared_run.finished_at = Run.Trigger.PERSON, timezone.now()
    stage.shared_run.save()
    address = url(stage.world.team, "agents_dream", stage.world.agent.pk)
    page = text(bob.post(address, follow=True))
    assert "It can dream again in" in page


def test_a_running_dream_is_polled_and_a_finished_one_is_not(world: World, bob: Client) -> None:
    bob.post(url(world.team, "agents_dream", world.agent.pk))
    run = Run.objects.get()
    address = url(world.team, "agents_progress", run.pk)
    part = text(fragment(bob, address, "progress"))
    assert "data-poll" in part
    assert "<html" not in part
    Run.objects.update(status="skipped", reason="no_notes", finished_at=run.created_at)
    assert fragment(bob, address, "progress")["HX-Refresh"] == "true"
    page = text(bob.get(url(world.team, "agents_run", run.pk)))
    assert "data-poll" not in page
    assert "There were no notes to dream about." in page


def test_the_list_takes_the_same_statements_for_many_runs(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "agents_dreams", stage.world.agent.pk)
    few = _statements(audrey, address)
    for _turn in range(10):
        Run.objects.create(
            team=stage.world.team, agent=stage.world.agent, kind="dream", status="skipped",
            trigger="cron", reason="no_notes", finished_at=stage.shared_run.finished_at,
            owner=stage.world.sender,
        )  # fmt: skip
    assert _statements(audrey, address) == few


def _run_url(stage: Stage, run: Run) -> str:
    return url(stage.world.team, "agents_run", run.pk)


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.fixture
def simulated(stage: Stage) -> Run:
    """The shared dream, as if it had been asked for with `dream --night`."""
    stage.shared_run.clock = datetime(2025, 3, 2, 2, tzinfo=UTC)
    stage.shared_run.save(update_fields=["clock"])
    return stage.shared_run


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("last_night", ()),
        ("agents", ()),
        ("agents_dreams", ("agent",)),
        ("agents_run", ("run",)),
        ("agents_revisions", ("agent", "MEMORY.md")),
    ],
)
def test_a_simulated_dream_was_when_it_took_for_now(
    stage: Stage, simulated: Run, vera: Client, name: str, more: tuple[str, ...]
) -> None:
    ids = {"agent": stage.world.agent.pk, "run": simulated.pk}
    page = text(vera.get(url(stage.world.team, name, *(ids.get(key, key) for key in more))))
    told = ["2 Mar 2025", "02:00"] if name == "agents_dreams" else ["2 Mar 2025 02:00"]
    assert all(one in page for one in told)


def test_its_page_also_says_when_it_was_computed(
    stage: Stage, simulated: Run, alice: Client
) -> None:
    assert "computed" in text(alice.get(_run_url(stage, simulated)))
    assert "computed" not in text(alice.get(_run_url(stage, stage.customers_run)))


def test_a_simulated_night_of_long_ago_is_not_the_last_dream(
    stage: Stage, simulated: Run, vera: Client
) -> None:
    Run.objects.filter(pk=simulated.pk).update(finished_at=timezone.now() + timedelta(hours=1))
    Run.objects.filter(pk=stage.bobs_run.pk).update(owner=None)
    page = text(vera.get(url(stage.world.team, "last_night")))
    assert "2 Mar 2025" not in page


def test_dream_now_starts_everybody_with_new_notes(world: World, bob: Client) -> None:
    """And the one who asks learns how many, not whose."""
    _note(world, world.customer)
    _note(world, None)
    page = text(bob.post(url(world.team, "agents_dream", world.agent.pk), follow=True))
    assert "2 dreams were started." in page
    owners = world.team.runs.values_list("owner", flat=True)
    assert set(owners) == {None, world.customer.pk}
    assert world.customer.external_id not in page


def _note(world: World, owner: Owner | None) -> None:
    day = timezone.now().date().isoformat()
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, f"memory/{day}.md")
        write(tx, place, f"# {day}\n\n- Likes tea.\n", writer=Writer(AuthorKind.AGENT))


def test_a_dream_that_was_taken_back_says_by_whom_and_offers_nothing_more(
    stage: Stage, bob: Client
) -> None:
    team, run = stage.world.team, stage.shared_run
    address = url(team, "agents_provenance_revert", stage.world.agent.pk)
    provenance = url(team, "agents_provenance", stage.world.agent.pk, query=f"?run={run.pk}")
    before = text(bob.get(_run_url(stage, run)))
    assert "Undo this dream</a>" in before
    bob.post(address, {"run": run.pk})
    page = text(bob.get(_run_url(stage, run)))
    assert "Bob reverted what this run wrote" in page
    assert "Undo this dream</a>" not in page
    assert "in MEMORY.md</a>" not in page
    assert provenance in page
    assert "reverted" in text(bob.get(url(team, "agents_dreams", stage.world.agent.pk)))


def test_a_revert_of_a_dream_is_undone_from_its_message(world: World, bob: Client) -> None:
    for ago in (1, 0):
        note(world, None, NIGHT - timedelta(days=ago), "The ferry leaves at nine.")
    dream(world, None, NIGHT)
    run = world.team.runs.get()
    shared = File.objects.of(world.agent.pk, None).filter(path__in=["MEMORY.md", "DREAMS.md"])
    before = dict(shared.values_list("path", "raw_content"))
    assert "- The ferry leaves at nine." in before["MEMORY.md"]

    address = url(world.team, "agents_provenance_revert", world.agent.pk)
    said = text(bob.post(address, {"run": run.pk}, follow=True))
    assert "The ferry" not in shared.get(path="MEMORY.md").raw_content
    assert "Reverted on" in shared.get(path="DREAMS.md").raw_content
    [undo] = re.findall(r'action="([^"]*/provenance/undo/[^"]*)"', said)
    assert "the files are as they were before." in text(bob.post(unescape(undo), follow=True))
    assert dict(shared.values_list("path", "raw_content")) == before
    page = url(world.team, "agents_run", run.pk)
    assert "Bob reverted" not in text(bob.get(page))
    assert "Undo this dream</a>" in text(bob.get(page))
    assert not run.proposals.exists()


def test_older_notes_are_dreamt_over_at_the_press_of_a_button_and_stopped(
    world: World, bob: Client
) -> None:
    page = url(world.team, "agents_dreams", world.agent.pk)
    assert "Dream about older notes" not in text(bob.get(page))
    for week in range(2):
        day = date(2026, 3, 2) + timedelta(weeks=week)
        note(world, None, day, f"The ferry number {week} leaves at nine.")
    assert "Dream about older notes" in text(bob.get(page))
    bob.post(url(world.team, "agents_dream", world.agent.pk, query="?backfill=on"))
    run = Run.objects.get()
    assert (run.status, run.trigger, run.user) == ("queued", "backfill", world.bob)
    shown = text(bob.get(url(world.team, "agents_run", run.pk)))
    assert "Backfill: week 1 of 2" in shown
    assert "Stop after this week" in shown
    bob.post(url(world.team, "agents_stop", run.pk))
    assert "Stop after this week" not in text(bob.get(url(world.team, "agents_run", run.pk)))
    list(engine.run_pending())
    assert Run.objects.get().status == "succeeded"
    assert "Dream about older notes" in text(bob.get(page))
