import re
from typing import TYPE_CHECKING

from django.test import Client

from memoryweb.memory.models import AuthorKind, Fact, File, NoSecret
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from tests.language.test_credentials import draw
from tests.language.test_secret_assignments import drawn
from tests.web.pages import actions, text, url
from tests.web.stage import Stage

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

VALUE = drawn(5)
LINE = "- Wi-Fi password: "


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
    assert not NoSecret.objects.exists()


def test_with_the_tick_the_text_is_saved_as_it_is(stage: Stage, bob: Client) -> None:
    assert _edit(stage, bob, no_secrets="on").status_code == 302
    assert VALUE in stage.memory.raw_content
    assert NoSecret.objects.get().said_by == stage.world.bob
    assert "secret.released" in actions(stage.world.team)


def test_a_new_file_is_asked_about_too(stage: Stage, bob: Client) -> None:
    said = {"path": "WIFI.md", "content": f"{LINE}{VALUE}\n"}
    address = url(stage.world.team, "agents_new_file", stage.world.agent.pk)
    assert bob.post(address, said).status_code == 422
    assert bob.post(address, said | {"no_secrets": "on"}).status_code == 302
    assert File.objects.get(path="WIFI.md").raw_content == said["content"]


def test_a_page_without_a_tick_asks_and_sends_the_same_again(stage: Stage, bob: Client) -> None:
    address = url(stage.world.team, "agents_entries_add", stage.world.agent.pk)
    said = {"name": "Wi-Fi", "content": f"Password: {VALUE}", "owner": "shared"}
    asked = bob.post(address, said)
    assert asked.status_code == 422
    page = text(asked)
    assert "These lines contain what looks like a password: 1." in page
    assert not File.objects.filter(path="entries/Wi-Fi.md").exists()
    again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    assert again.items() >= said.items()
    assert f'action="{address}"' in page
    assert 'name="no_secrets" value="on"' in page
    assert bob.post(address, again | {"no_secrets": "on"}).status_code == 302
    assert VALUE in File.objects.get(path="entries/Wi-Fi.md").raw_content


def test_my_memory_asks_whether_it_is_one(stage: Stage, bob: Client) -> None:
    owner = stage.world.bobs_memory
    with write_transaction(stage.world.team) as tx:
        place = Place(stage.world.agent, owner, "MEMORY.md")
        by = Writer(AuthorKind.PERSON, user=stage.world.bob)
        file = write(tx, place, "- Bob sings.\n", writer=by).file
    said = {"text": f"Bob's Wi-Fi password: {VALUE}"}
    address = url(stage.world.team, "mine_fact_edit", Fact.objects.get(file=file).pk)
    page = text(bob.post(address, said))
    assert "It is no secret: save it" in page
    assert bob.post(address, said | {"no_secrets": "on"}).status_code == 302
    assert VALUE in File.objects.get(pk=file.pk).raw_content


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
    assert "Scan for secrets" not in text(bob.get(url(stage.world.team, "review")))
