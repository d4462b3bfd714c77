from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.safestring import SafeString

from memoryweb.agents.break_glass import open_glass
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.agents import create_agent
from memoryweb.memory.models import AuthorKind, Injection, RecallEvent, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.web.markdown import marked_html, plain, words_of
from tests.soaking import first_in_gate
from tests.statements import statements
from tests.web.pages import fragment, text, tight, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage


@pytest.fixture
def address(stage: Stage) -> str:
    return url(stage.world.team, "search")


def save(stage: Stage, path: str, content: str) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, None, path)
        write(tx, place, content, writer=Writer(AuthorKind.PERSON))


def test_a_hit_leads_to_its_line_with_the_word_marked(
    stage: Stage, vera: Client, address: str
) -> None:
    page = text(vera.get(f"{address}?q=releases"))
    assert "<mark>release</mark>" in page
    file = url(stage.world.team, "agents_file", stage.world.agent.pk, NOTE)
    assert f"{file}?q=releases#L3" in page
    opened = text(vera.get(f"{file}?q=releases"))
    assert "moved the <mark>release</mark> to Thursday" in opened
    assert "<mark>" not in text(vera.get(file))


def test_a_note_line_has_the_readers_time(stage: Stage, vera: Client, address: str) -> None:
    save(stage, "memory/2026-11-20.md", "# 2026-11-20\n\n- 23:10 Ines rowed home.\n")
    stage.world.vera.time_zone = "Asia/Tokyo"
    stage.world.vera.save()
    page = tight(vera.get(f"{address}?q=rowed"))
    assert "21 Nov 08:10 Ines" in page
    assert "23:10" not in page


def test_a_hit_of_the_past_leads_to_its_revision_at_its_line(
    stage: Stage, vera: Client, address: str
) -> None:
    save(stage, "boats.md", "- Oars.\n- Paddle\n  the canoe.\n")
    Revision.objects.filter(file__path="boats.md").update(
        created_at=datetime(2026, 11, 1, 12, tzinfo=UTC)
    )
    save(stage, "boats.md", "- The boats were sold.\n")
    page = text(vera.get(f"{address}?q=canoe&at=2026-11-02"))
    then = url(stage.world.team, "agents_revision", stage.world.agent.pk, "boats.md", 1)
    assert f"{then}?q=canoe#L2" in page
    assert "as of revision 1" in page
    opened = text(vera.get(f"{then}?q=canoe"))
    assert "the <mark>canoe</mark>" in opened
    assert all(f'id="L{line}"' in opened for line in (1, 2, 3))


def test_what_came_from_an_import_says_so(stage: Stage, vera: Client, address: str) -> None:
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, None, "KNOWLEDGE.md")
        write(tx, place, "- The canoe is red.\n", writer=Writer(AuthorKind.IMPORT))
    assert "from an import" in text(vera.get(f"{address}?q=canoe"))
    save(stage, "KNOWLEDGE.md", "- Our canoe.\n")
    assert "from an import" not in text(vera.get(f"{address}?q=canoe"))


def test_a_message_leads_to_its_place_in_the_conversation(
    stage: Stage, bob: Client, address: str
) -> None:
    page = text(bob.get(f"{address}?q=thermos&kind=message"))
    talk = url(stage.world.team, "agents_conversation", stage.world.agent.pk, stage.bobs_talk.pk)
    assert f"{talk}?message=1&amp;q=thermos#m1" in page
    assert "<mark>thermos</mark>" in text(bob.get(f"{talk}?message=1&q=thermos"))


def test_it_finds_what_is_shared_and_what_is_about_oneself(
    stage: Stage, bob: Client, vera: Client, address: str
) -> None:
    query = "?q=release thermos violin"
    seen = text(bob.get(address + query)).replace("<mark>", "").replace("</mark>", "")
    assert (SHARED[:20] in seen, PERSONAL[:20] in seen, CUSTOMERS[:20] in seen) == (
        True,
        True,
        False,
    )
    shared = text(vera.get(address + query)).replace("<mark>", "").replace("</mark>", "")
    assert (SHARED[:20] in shared, PERSONAL[:20] in shared) == (True, False)


@pytest.mark.parametrize(
    ("whose", "found"), [("shared", (True, False)), ("me", (False, True)), ("", (True, True))]
)
def test_whose_memory_narrows_it(
    stage: Stage, bob: Client, address: str, whose: str, found: tuple[bool, bool]
) -> None:
    page = text(bob.get(f"{address}?q=release thermos&whose={whose}"))
    assert ("<mark>release</mark>" in page, "<mark>thermos</mark>" in page) == found


def test_an_opened_memory_is_searched_and_the_look_recorded(
    stage: Stage, alice: Client, address: str
) -> None:
    world = stage.world
    query = f"{address}?q=thermos&whose={world.bobs_memory.pk}"
    assert alice.get(query).status_code == 422
    open_glass(owner=world.bobs_memory, user=world.alice, reason="A complaint.", by=SYSTEM)
    assert "<mark>thermos</mark>" in text(alice.get(query))
    assert Event.objects.filter(action="personal.read", target_kind="search").count() == 1
    assert "<mark>thermos</mark>" not in text(alice.get(f"{address}?q=thermos"))


def test_a_search_on_a_page_is_given_to_no_prompt(stage: Stage, bob: Client, address: str) -> None:
    before = RecallEvent.objects.count()
    bob.get(f"{address}?q=thermos")
    assert (RecallEvent.objects.count(), Injection.objects.count()) == (before, 0)


def test_pages_follow_on_one_another(stage: Stage, vera: Client, address: str) -> None:
    for number in range(13):
        save(stage, f"canoe-{number}.md", f"- The canoe is red, {number}.\n")
    first = text(vera.get(f"{address}?q=canoe&agent={stage.world.agent.pk}"))
    assert (first.count("data-hit"), "Next page" in first) == (10, True)
    link = first.split("<footer>")[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
    second = text(vera.get(link))
    assert (second.count("data-hit"), "Next page" in second) == (3, False)


def test_of_several_agents_each_shows_its_best(stage: Stage, vera: Client, address: str) -> None:
    for number in range(6):
        save(stage, f"canoe-{number}.md", f"- The canoe is red, {number}.\n")
    page = text(vera.get(f"{address}?q=canoe"))
    assert page.count("data-hit") == 4
    assert "6 results" in page
    assert f"All in {stage.world.agent.name}" in page


def test_the_agent_with_the_best_hit_stands_first(stage: Stage, vera: Client, address: str) -> None:
    ours, other = stage.world.agent, stage.world.other_agent
    with write_transaction(stage.world.team) as tx:
        person = Writer(AuthorKind.PERSON)
        write(tx, Place(other, None, "boats.md"), "- A red canoe trip.\n", writer=person)
        write(tx, Place(ours, None, "boats.md"), f"- One trip. {'Rain. ' * 90}\n", writer=person)
    said = text(vera.get(f"{address}?q=canoe trip"))
    found = [
        name for name in said.split('aria-label="') if name.startswith((ours.name, other.name))
    ]
    assert found[0].startswith(other.name)
    assert len(found) == 2


def test_filters_narrow_it(stage: Stage, vera: Client, address: str) -> None:
    save(stage, "boats.md", "- The canoe is red.\n")
    assert "data-hit" in text(vera.get(f"{address}?q=canoe&path=boats"))
    for query in ("path=trains", "before=2001-01-01", "at=2001-01-01", "kind=message"):
        page = text(vera.get(f"{address}?q=canoe&{query}"))
        assert "No results" in page, query
        assert f'href="{address}?q=canoe"' in page
    assert "Remove the filters" not in text(vera.get(f"{address}?q=zeppelin"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=canoe before:lunch", "isn’t one"),
        ("q=canoe owner:nobody", "names nobody"),
        ("q=canoe&before=lunch", "Before the day: Enter a valid date."),
        ("q=canoe&kind=song", "In: Select a valid choice"),
        ("q=canoe&cursor=nonsense&agent=", ""),
        (f"q={'a' * 1001}", "at most 1000 characters"),
    ],
)
def test_what_cannot_be_searched_says_why(
    stage: Stage, vera: Client, address: str, query: str, said: str
) -> None:
    answer = vera.get(f"{address}?{query}")
    assert answer.status_code == (422 if said else 200)
    assert said in text(answer)


def test_an_agent_of_another_team_is_no_choice(stage: Stage, vera: Client, address: str) -> None:
    foreign = stage.world.twin.agent.pk
    assert vera.get(f"{address}?q=canoe&agent={foreign}").status_code == 422


def test_before_a_word_is_typed_it_says_what_to_do(vera: Client, address: str) -> None:
    assert "Search files and messages" in text(vera.get(address))


def test_htmx_gets_the_results_alone(stage: Stage, vera: Client, address: str) -> None:
    page = text(fragment(vera, f"{address}?q=release", "results"))
    assert page.lstrip().startswith('<div id="results"')


def test_marks_stand_in_texts_and_never_in_tags() -> None:
    words = words_of("link amp b")
    html = SafeString('<p><a href="/link?b=1&amp;b" title="link">a link</a> &amp; b</p>')
    assert marked_html(html, words) == (
        '<p><a href="/link?b=1&amp;b" title="link">a <mark>link</mark></a> &amp; <mark>b</mark></p>'
    )


def test_what_is_marked_is_escaped() -> None:
    html = marked_html(plain("<b>hi</b>\u200b"), words_of("hi"))
    assert html.startswith("&lt;b&gt;<mark>hi</mark>&lt;/b&gt;")
    assert "\u200b" not in html


@pytest.mark.parametrize(
    "query", first_in_gate(2, ["boat", "boat path:boat", '"red boat"', "boat after:2001-01-01"])
)
def test_it_takes_as_many_statements_for_many_agents_as_for_few(
    stage: Stage, bob: Client, address: str, query: str
) -> None:
    counts = []
    for names in ("few", "many of them and more"):
        with write_transaction(stage.world.team) as tx:
            for name in names.split():
                place = Place(create_agent(tx, name=name), None, "boats.md")
                write(tx, place, f"- The red boat of {name}.\n", writer=Writer(AuthorKind.PERSON))
        bob.get(address, {"q": query})
        with CaptureQueriesContext(connection) as queries:
            page = text(bob.get(address, {"q": query}))
        assert names.split()[-1] in page
        counts.append(len(statements(queries)))
    assert counts[0] == counts[1]


def test_agents_asked_together_keep_apart_what_each_has(
    stage: Stage, vera: Client, address: str
) -> None:
    with write_transaction(stage.world.team) as tx:
        for name in ("Owl", "Heron"):
            place = Place(create_agent(tx, name=name), None, "boats.md")
            write(tx, place, f"- A boat of the {name}.\n", writer=Writer(AuthorKind.PERSON))
    page = text(vera.get(address, {"q": "boat"}))
    for name in ("Owl", "Heron"):
        assert page.count(f"of the {name}.") == 1


def test_a_statement_is_shown_once_with_its_other_places(
    stage: Stage, vera: Client, address: str
) -> None:
    for number in range(2):
        save(stage, f"canoe-{number}.md", "- The canoe is red.\n")
    page = text(vera.get(f"{address}?q=canoe"))
    assert page.count("data-hit") == 1
    assert "Said in these places, too:" in page
    assert "canoe-1.md:1</a>" in page
