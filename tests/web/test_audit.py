from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.audit.models import Event
from tests.web.pages import text, url
from tests.web.stage import NOTE, PERSONAL, Stage


def test_every_event_reads_as_a_sentence(stage: Stage, audrey: Client) -> None:
    page = text(audrey.get(url(stage.world.team, "audit")))
    assert "Wrote a file." in page
    assert "Finished a run." in page


def test_the_filter_stands_in_the_address(stage: Stage, audrey: Client) -> None:
    page = text(audrey.get(url(stage.world.team, "audit", query="?action=run.finished")))
    assert "Finished a run." in page.split("</form>")[-1]
    assert "Wrote a file." not in page.split("</form>")[-1]


def test_one_run_is_followed(stage: Stage, audrey: Client) -> None:
    run = stage.shared_run
    page = text(audrey.get(url(stage.world.team, "audit", query=f"?run={run.pk}")))
    assert page.count(url(stage.world.team, "agents_run", run.pk)) == _events(run.pk)


def test_names_of_personal_files_are_hidden(stage: Stage, audrey: Client) -> None:
    """An event about Bob's note says neither what it holds nor how it is called."""
    target = stage.world.agent.files.get(owner=stage.world.bobs_memory, path=NOTE)
    page = text(audrey.get(url(stage.world.team, "audit", query=f"?target={target.pk}")))
    assert NOTE not in page
    assert PERSONAL not in page


@pytest.mark.parametrize("query", ["?since=yesterday", "?run=1", "?action=nothing", "?page=zz"])
def test_what_is_no_filter_is_no_error(stage: Stage, audrey: Client, query: str) -> None:
    assert audrey.get(url(stage.world.team, "audit", query=query)).status_code == 200


def test_the_same_statements_for_a_full_page(stage: Stage, audrey: Client) -> None:
    address = url(stage.world.team, "audit")
    few = _statements(audrey, f"{address}?action=run.finished")
    assert _statements(audrey, address) == few


def _events(run_id: UUID) -> int:
    return Event.objects.filter(run_id=run_id).count()


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_a_code_is_shown_as_its_words(stage: Stage, bob: Client, audrey: Client) -> None:
    bob.get(url(stage.world.team, "audit"))
    page = text(audrey.get(url(stage.world.team, "audit", query="?outcome=denied")))
    assert "t see the audit log." in page
    assert "see_audit" not in page


def test_done_finds_runs_that_succeeded(stage: Stage, audrey: Client) -> None:
    query = "?outcome=ok&action=run.finished"
    assert "succeeded" in {event.outcome for event in Event.objects.all()}
    page = text(audrey.get(url(stage.world.team, "audit", query=query)))
    assert "Finished a run." in page.split("</form>")[-1]
