from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.web.pages import fragment, text, tight, url
from tests.web.stage import NOTE, Stage


def test_every_line_names_who_wrote_it(stage: Stage, alice: Client) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, None, NOTE)
        writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
        append(tx, place, [NewLine("- Said at lunch.")], writer=writer)
    page = tight(alice.get(_url(stage)))
    agent = f'<span class="author extraction">{stage.world.agent.name}</span>'
    assert agent in page
    assert '<span class="author person">Person</span><span class="name">Bob</span>' in page
    assert page.index(agent) < page.index("- Said at lunch.")


def test_the_conversation_is_linked_for_who_may_read_it(stage: Stage, vera: Client) -> None:
    shared = url(
        stage.world.team, "agents_conversation", stage.world.agent.pk, stage.shared_talk.pk
    )
    assert shared in text(vera.get(_url(stage)))


def test_a_dreams_line_leads_to_the_talk_behind_its_note(stage: Stage, vera: Client) -> None:
    team, agent = stage.world.team, stage.world.agent
    page = text(vera.get(url(team, "agents_file", agent.pk, "MEMORY.md", query="?authors=on")))
    assert url(team, "agents_conversation", agent.pk, stage.shared_talk.pk) in page


def test_another_persons_conversation_is_not_named(stage: Stage, vera: Client) -> None:
    note = stage.world.agent.files.get(owner=None, path=NOTE)
    note.origins.update(message=stage.bobs_talk.messages.get(position=1))
    page = text(vera.get(_url(stage)))
    assert str(stage.bobs_talk.pk) not in page


def test_an_old_revision_has_only_its_own_lines(stage: Stage, vera: Client) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, None, NOTE)
        writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
        append(tx, place, [NewLine("- Later.")], writer=writer)
    page = text(vera.get(_url(stage, at=1)))
    assert "- Later." not in page
    assert "Bob" not in page


def test_an_old_revision_still_leads_to_the_message_of_a_line_that_has_gone(
    stage: Stage, vera: Client
) -> None:
    team, agent = stage.world.team, stage.world.agent
    number = stage.world.agent.files.get(owner=None, path=NOTE).revision
    with write_transaction(team) as tx:
        writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
        write(tx, Place(agent, None, NOTE), "All new.\n", writer=writer)
    talk = url(team, "agents_conversation", agent.pk, stage.shared_talk.pk)
    assert talk not in text(vera.get(_url(stage)))
    assert f"{talk}?message=1#m1" in text(vera.get(_url(stage, at=number)))


def test_the_page_computes_no_authors_until_asked(stage: Stage, vera: Client) -> None:
    address = url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE)
    with CaptureQueriesContext(connection) as queries:
        page = text(vera.get(address))
    assert not [one for one in queries.captured_queries if "past" in one["sql"].lower()]
    assert 'hx-get="?authors=on"' in page


def test_htmx_gets_the_text_alone(stage: Stage, vera: Client) -> None:
    page = text(fragment(vera, _url(stage), "text"))
    assert page.lstrip().startswith('<section class="card" id="text"')
    assert '<ol class="blame">' in page


def test_it_takes_the_same_statements_for_many_lines(stage: Stage, vera: Client) -> None:
    counted = []
    for _turn in range(2):
        with CaptureQueriesContext(connection) as queries:
            vera.get(_url(stage))
        counted.append(len(queries))
        with write_transaction(stage.world.team) as tx:
            for number in range(12):
                place = Place(stage.world.agent, None, NOTE)
                writer = Writer(AuthorKind.PERSON, user=stage.world.bob)
                append(tx, place, [NewLine(f"- {number}")], writer=writer)
    assert counted[0] == counted[1]


def _url(stage: Stage, at: int | None = None) -> str:
    team, agent = stage.world.team, stage.world.agent
    if at is None:
        return url(team, "agents_file", agent.pk, NOTE, query="?authors=on")
    return url(team, "agents_revision", agent.pk, NOTE, at, query="?authors=on")
