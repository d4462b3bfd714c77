from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.models import Owner
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import File, HeldSecret
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing.write import Place, Writer, write
from memoryweb.runs import engine
from tests.language.test_credentials import draw
from tests.language.test_secret_assignments import drawn
from tests.statements import statements
from tests.web.pages import actions, text, url
from tests.web.stage import Stage

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

VALUE = drawn(5)
LINE = "- Wi-Fi password: "


def _hold(stage: Stage, owner: Owner | None = None, value: str = VALUE) -> HeldSecret:
    place = Place(stage.world.agent, owner, "WIFI.md")
    with write_transaction(stage.world.team) as work:
        write(work, place, f"# Wi-Fi\n\n{LINE}{value}\n", writer=Writer(AuthorKind.AGENT))
    return HeldSecret.objects.latest("created_at")


def _page(stage: Stage, held: HeldSecret) -> str:
    return url(stage.world.team, "review_item", "secret", held.pk)


def _list(stage: Stage, client: Client, state: str = "") -> str:
    return text(client.get(url(stage.world.team, "review", query=f"?kind=secret&state={state}")))


def _decide(
    stage: Stage, client: Client, held: HeldSecret, decision: str, value: str = ""
) -> "Answer":
    said = {"decision": decision, "value": value}
    return client.post(_page(stage, held) + "decide/", said)


def test_the_list_says_where_and_what(stage: Stage, vera: Client) -> None:
    _hold(stage)
    page = _list(stage, vera, "others")
    assert "WIFI.md:3" in page
    assert VALUE not in page
    assert 'class="btn"' not in page.partition("</main>")[0]


def test_the_page_shows_the_marked_line(stage: Stage, bob: Client) -> None:
    held = _hold(stage)
    page = text(bob.get(_page(stage, held)))
    assert f"{LINE}[held: password]" in page
    assert f"{len(VALUE)} characters" in page
    assert "It is a secret: keep it out" in page


def test_review_counts_what_waits(stage: Stage, bob: Client) -> None:
    _hold(stage)
    assert 'class="count">3<' in text(bob.get(url(stage.world.team, "review")))


def test_a_secret_is_kept_out_and_listed_as_decided(stage: Stage, bob: Client) -> None:
    held = _hold(stage)
    _decide(stage, bob, held, "secret")
    held.refresh_from_db()
    assert (held.state, held.decided_by) == ("refused", stage.world.bob)
    assert "secret.decided" in actions(stage.world.team)
    assert "WIFI.md" in _list(stage, bob, "decided")
    assert "Nothing waits" in _list(stage, bob)


def test_the_value_typed_in_comes_back(stage: Stage, bob: Client) -> None:
    held = _hold(stage)
    _decide(stage, bob, held, "no_secret", VALUE)
    assert File.objects.get(path="WIFI.md").raw_content.endswith(f"{LINE}{VALUE}\n")


def test_a_wrong_value_is_said_and_changes_nothing(stage: Stage, bob: Client) -> None:
    held = _hold(stage)
    answer = _decide(stage, bob, held, "no_secret", "wrong")
    assert answer.status_code == 422
    assert "not the value that was held back" in text(answer)
    held.refresh_from_db()
    assert held.state == "waiting"


def test_deciding_twice_says_so(stage: Stage, bob: Client) -> None:
    held = _hold(stage)
    _decide(stage, bob, held, "secret")
    assert "decided already" in text(_decide(stage, bob, held, "secret"))
    answer = _decide(stage, bob, held, "no_secret", VALUE)
    assert answer.status_code == 422


@pytest.mark.parametrize("decision", ["secret", "no_secret"])
def test_personal_memory_is_decided_by_its_person_or_a_grant(
    stage: Stage, alice: Client, bob: Client, decision: str
) -> None:
    held = _hold(stage, stage.world.bobs_memory)
    assert _decide(stage, alice, held, decision).status_code == 403
    open_glass(
        owner=stage.world.bobs_memory, user=stage.world.alice, reason="Bob is ill.", by=SYSTEM
    )
    assert _decide(stage, alice, held, decision).status_code == 302


def test_a_place_in_personal_memory_is_not_named_to_others(stage: Stage, alice: Client) -> None:
    _hold(stage, stage.world.bobs_memory)
    page = _list(stage, alice, "others")
    assert "likely secret" in page
    assert "WIFI.md" not in page


def test_a_place_that_a_grant_opens_is_a_read(stage: Stage, alice: Client) -> None:
    held = _hold(stage, stage.world.bobs_memory)
    open_glass(
        owner=stage.world.bobs_memory, user=stage.world.alice, reason="Bob is ill.", by=SYSTEM
    )
    assert "WIFI.md" in _list(stage, alice)
    read = Event.objects.get(action="personal.read")
    assert (read.target_kind, read.target_id) == ("held_secret", str(held.pk))


def test_the_list_takes_as_many_statements_for_many_as_for_few(stage: Stage, bob: Client) -> None:
    counts = []
    for number in range(12):
        _hold(stage, value=drawn(100 + number))
        if number in {1, 11}:
            with CaptureQueriesContext(connection) as ran:
                _list(stage, bob)
            counts.append(len(statements(ran)))
    assert counts[0] == counts[1]


def _edit(stage: Stage, bob: Client, **said: str) -> "Answer":
    file = stage.memory
    said = {"content": f"{file.raw_content}{LINE}{VALUE}\n", "sha256": file.sha256, **said}
    return bob.post(url(stage.world.team, "agents_edit", file.agent_id, file.path), said)


def test_the_editor_asks_about_the_lines_and_keeps_the_text(stage: Stage, bob: Client) -> None:
    number = stage.memory.raw_content.count("\n") + 1
    answer = _edit(stage, bob)
    assert answer.status_code == 422
    page = text(answer)
    assert f"These lines contain what looks like a password: {number}." in page
    assert "These are no secrets" in page
    assert VALUE in page
    assert VALUE not in stage.memory.raw_content
    assert not HeldSecret.objects.exists()


def test_with_the_tick_the_text_is_saved_as_it_is(stage: Stage, bob: Client) -> None:
    assert _edit(stage, bob, no_secrets="on").status_code == 302
    assert VALUE in stage.memory.raw_content
    released = HeldSecret.objects.get()
    assert (released.state, released.decided_by) == ("released", stage.world.bob)
    assert "secret.released" in actions(stage.world.team)


def test_a_new_file_is_asked_about_too(stage: Stage, bob: Client) -> None:
    said = {"path": "WIFI.md", "content": f"{LINE}{VALUE}\n"}
    address = url(stage.world.team, "agents_new_file", stage.world.agent.pk)
    assert bob.post(address, said).status_code == 422
    assert bob.post(address, said | {"no_secrets": "on"}).status_code == 302
    assert File.objects.get(path="WIFI.md").raw_content == said["content"]


def _scans(stage: Stage) -> str:
    return url(stage.world.team, "review_scans")


def test_an_agent_is_looked_through_and_masked(stage: Stage, alice: Client) -> None:
    secret = "ghp_" + draw(36)
    stage.memory.revisions.filter(number=1).update(raw_text=f"Key: {secret}\n")
    File.objects.filter(pk=stage.memory.pk).update(raw_content=f"Key: {secret}\n")
    alice.post(url(stage.world.team, "review_scan", stage.world.agent.pk))
    assert "data-poll" in text(alice.get(_scans(stage)))
    list(engine.run_pending(until_idle=True))
    page = text(alice.get(_scans(stage)))
    assert "2 secrets found" in page
    assert "github-token · Current text of a file, line 1" in page
    assert secret not in page
    alice.post(url(stage.world.team, "review_mask", stage.world.agent.pk))
    list(engine.run_pending(until_idle=True))
    assert "2 masked" in text(alice.get(_scans(stage)))
    assert secret not in stage.memory.raw_content
    assert "secret.masked" in actions(stage.world.team)


def test_masking_does_not_begin_while_a_look_is_at_work(stage: Stage, alice: Client) -> None:
    alice.post(url(stage.world.team, "review_scan", stage.world.agent.pk))
    again = url(stage.world.team, "review_mask", stage.world.agent.pk)
    page = text(alice.post(again, follow=True))
    assert "Masking has begun" not in page
    assert "Another one is at work for this agent" in page


def test_only_an_admin_looks_again(stage: Stage, bob: Client) -> None:
    assert bob.get(_scans(stage)).status_code == 403
    assert "Scan for secrets" not in _list(stage, bob)
