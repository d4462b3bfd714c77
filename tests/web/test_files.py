from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.break_glass import open_glass
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.files import Place, Writer, write
from memoryweb.memory.unit import unit
from memoryweb.workspace.models import AuthorKind
from tests.web.pages import actions, fragment, text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage


def test_the_list_has_shared_and_own_files_apart(stage: Stage, bob: Client) -> None:
    shared = url(stage.world.team, "agents_files", stage.world.agent.pk)
    assert "AGENTS.md" in text(bob.get(shared))
    mine = text(bob.get(f"{shared}?owner=me"))
    assert NOTE in mine
    assert "AGENTS.md" not in mine


def test_a_file_shows_each_line_under_its_number(stage: Stage, vera: Client) -> None:
    page = text(vera.get(url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE)))
    assert 'id="L3"' in page
    assert SHARED in page


def test_lines_of_machines_ask_why_and_others_do_not(stage: Stage, vera: Client) -> None:
    team, agent = stage.world.team, stage.world.agent
    note = text(vera.get(url(team, "agents_file", agent.pk, NOTE)))
    assert url(team, "agents_why", agent.pk, NOTE, 3) in note
    seeded = text(vera.get(url(team, "agents_file", agent.pk, "AGENTS.md")))
    assert "/why/" not in seeded


def test_why_leads_from_memory_to_the_note_and_the_message(stage: Stage, vera: Client) -> None:
    line = next(n for n, t in enumerate(stage.memory.content.split("\n"), 1) if "Thursday" in t)
    page = text(vera.get(_why(stage, "MEMORY.md", line)))
    assert f"{NOTE}:3" in page
    talk = url(stage.world.team, "agents_conversation", stage.world.agent.pk, stage.shared_talk.pk)
    assert f"{talk}?message=1#m1" in page


def test_why_answers_htmx_with_its_panel_alone(stage: Stage, vera: Client) -> None:
    page = text(fragment(vera, _why(stage, NOTE, 3), "why"))
    assert page.lstrip().startswith('<aside id="why"')


def test_why_of_a_line_beyond_the_end_is_404(stage: Stage, vera: Client) -> None:
    assert vera.get(_why(stage, NOTE, 99)).status_code == 404


def test_why_hides_a_source_that_is_not_open(stage: Stage, vera: Client) -> None:
    """A shared line that stands on a person's message names no word of it."""
    origin = stage.memory.origins.filter(source_file__isnull=False).first()
    assert origin is not None
    note = origin.source_file
    assert note is not None
    note.origins.update(message=stage.bobs_talk.messages.get(position=1))
    page = text(vera.get(_why(stage, "MEMORY.md", origin.line)))
    assert PERSONAL not in page
    assert "another person" in page


def test_a_personal_file_of_another_is_404_or_403(
    stage: Stage, vera: Client, alice: Client
) -> None:
    address = _customers(stage)
    assert vera.get(address).status_code == 404
    refused = alice.get(address)
    assert refused.status_code == 403
    assert url(stage.world.team, "owners_detail", stage.world.customer.pk) in text(refused)


def test_a_grant_opens_it_and_every_read_is_an_event(stage: Stage, alice: Client) -> None:
    open_glass(
        owner=stage.world.customer, user=stage.world.alice, reason="A court asks.", by=SYSTEM
    )
    page = text(alice.get(_customers(stage)))
    assert CUSTOMERS in page
    assert actions(stage.world.team)[-1] == "personal.read"


def test_a_grant_that_ran_out_opens_nothing(stage: Stage, alice: Client) -> None:
    grant = open_glass(
        owner=stage.world.customer, user=stage.world.alice, reason="A court asks.", by=SYSTEM
    )
    grant.expires_at = grant.created_at
    grant.save()
    assert alice.get(_customers(stage)).status_code == 403


def test_the_list_takes_the_same_statements_for_many_files(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_files", stage.world.agent.pk)
    few = _statements(vera, address)
    writer = Writer(AuthorKind.PERSON, user=stage.world.alice)
    with unit(stage.world.team) as work:
        for number in range(12):
            write(work, Place(stage.world.agent, None, f"n{number}.md"), "text", writer=writer)
    assert _statements(vera, address) == few


def test_a_file_takes_the_same_statements_for_many_lines(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_file", stage.world.agent.pk, "KNOWLEDGE.md")
    writer = Writer(AuthorKind.DREAM, run=stage.shared_run)
    counts = []
    for lines in (3, 60):
        with unit(stage.world.team) as work:
            place = Place(stage.world.agent, None, "KNOWLEDGE.md")
            write(work, place, "\n".join(f"- {n}" for n in range(lines)), writer=writer)
        counts.append(_statements(vera, address))
    assert counts[0] == counts[1]


def _why(stage: Stage, path: str, line: int) -> str:
    return url(stage.world.team, "agents_why", stage.world.agent.pk, path, line)


def _customers(stage: Stage) -> str:
    query = f"?owner={stage.world.customer.pk}"
    return url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE, query=query)


def _statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)
