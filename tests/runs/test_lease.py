import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memoryweb.runs.engine import Lease, LeaseLost, Outcome
from memoryweb.runs.models import Run
from memoryweb.runs.queue import claim
from tests.runs.desk import Desk, ago, change, fresh

pytestmark = pytest.mark.databases

WRITES = {
    "store": lambda lease: lease.store("answer", answer={"a": 1}),
    "fence": lambda lease: lease.fence(),
    "finish": lambda lease: lease.finish(Outcome("succeeded", result={"a": 1})),
}
THEFTS = {
    "lease over": lambda run: change(run, lease_until=ago(seconds=1)),
    "taken by another": lambda run: change(run, fence=run.fence + 1),
    "put back": lambda run: change(run, status="queued", lease_until=None),
    "finished by another": lambda run: change(run, status="succeeded", lease_until=None),
}


@pytest.fixture
def lease(desk: Desk) -> Lease:
    desk.ask(desk.owner)
    run = claim()
    assert run is not None
    return Lease(run)


def test_a_claim_counts_an_attempt_and_raises_the_fence(lease: Lease) -> None:
    run = fresh(lease.run)
    assert (run.status, run.phase, run.attempts, run.fence) == ("running", "claimed", 1, 1)
    assert run.lease_until is not None
    assert run.lease_until > timezone.now()


def test_a_claimed_run_is_not_claimed_again(lease: Lease) -> None:
    assert claim() is None
    assert claim(run_id=lease.run.pk) is None


def test_a_claim_keeps_the_phase_it_finds(lease: Lease) -> None:
    lease.store("answer", answer={"a": 1})
    change(lease.run, status="queued", due_at=ago(seconds=1))
    again = claim()
    assert again is not None
    assert (again.phase, again.answer, again.attempts) == ("answer", {"a": 1}, 2)


def test_a_phase_is_stored_with_what_it_found(lease: Lease) -> None:
    lease.store("inputs", inputs={"files": [1]}, tokens_in=7)
    run = fresh(lease.run)
    assert (run.phase, run.inputs, run.tokens_in) == ("inputs", {"files": [1]}, 7)
    assert (lease.run.phase, lease.run.inputs) == ("inputs", {"files": [1]})


@pytest.mark.parametrize("name", ["status", "fence", "due_at", "owner", "nonsense"])
def test_a_phase_cannot_store_what_belongs_to_the_engine(lease: Lease, name: str) -> None:
    with pytest.raises(TypeError):
        lease.store("inputs", **{name: "x"})


@pytest.mark.parametrize("theft", THEFTS)
@pytest.mark.parametrize("write", WRITES)
def test_whoever_lost_the_lease_writes_nothing(
    desk: Desk, lease: Lease, write: str, theft: str
) -> None:
    THEFTS[theft](lease.run)
    before = _row(lease.run)
    with pytest.raises(LeaseLost), transaction.atomic():
        WRITES[write](lease)
    assert _row(lease.run) == before
    assert desk.events() == []


def test_a_fence_outside_a_transaction_would_hold_nothing(transactional_db: None) -> None:
    lease = Lease(Run())
    with pytest.raises(transaction.TransactionManagementError):
        lease.fence()


def test_finishing_is_audited_with_the_outcome(desk: Desk, lease: Lease) -> None:
    lease.finish(Outcome("skipped", "nothing_new", model="echo"))
    run, [event] = fresh(lease.run), desk.events()
    assert (run.status, run.reason, run.due_at, run.lease_until) == (
        "skipped",
        "nothing_new",
        None,
        None,
    )
    assert run.finished_at is not None
    assert (event.run_id, event.outcome, event.reason_code) == (run.pk, "skipped", "nothing_new")
    assert (event.on_behalf_of, event.model) == (desk.owner.pk, "echo")


def test_without_its_event_a_run_does_not_finish(lease: Lease) -> None:
    def refuse(action: str, **fields: object) -> None:
        raise RuntimeError(action)

    with pytest.raises(RuntimeError), transaction.atomic():
        lease.finish(Outcome("succeeded"), record=refuse)
    assert fresh(lease.run).status == "running"


def test_the_callers_record_takes_the_event(desk: Desk, lease: Lease) -> None:
    taken: dict[str, object] = {}
    lease.finish(Outcome("succeeded"), record=lambda action, **fields: taken.update(fields))
    assert (taken["outcome"], taken["run_id"]) == ("succeeded", lease.run.pk)
    assert desk.events() == []


def test_an_outcome_keeps_what_it_does_not_name(lease: Lease) -> None:
    lease.store("answer", model="echo", tokens_in=5)
    lease.finish(Outcome("succeeded", tokens_out=3))
    run = fresh(lease.run)
    assert (run.model, run.tokens_in, run.tokens_out) == ("echo", 5, 3)


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ("succeeded", "reported"),
        ("no_change", "reported"),
        ("needs_review", "reported"),
        ("skipped", "claimed"),
        ("failed", "claimed"),
    ],
)
def test_a_failure_shows_how_far_it_came(lease: Lease, status: str, phase: str) -> None:
    lease.finish(Outcome(status))
    assert fresh(lease.run).phase == phase


def test_each_write_is_one_statement(lease: Lease) -> None:
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        lease.store("inputs", inputs={})
        lease.fence()
        lease.finish(Outcome("succeeded"), record=lambda action, **fields: None)
    updates = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(updates) == 3


def _row(run: Run) -> object:
    return Run.objects.filter(pk=run.pk).values().get()
