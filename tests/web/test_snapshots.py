"""Export and import on pages: look first, then all of it or nothing."""

import re
from datetime import timedelta
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from memoryweb.memory.models import File, Import, Revision, Upload
from memoryweb.memory.snapshots import contents
from memoryweb.memory.snapshots.reading import MAX_UPLOAD, read
from memoryweb.runs import engine
from memoryweb.runs.ticking import CLEANED_EVERY
from memoryweb.web.snapshots import CappedUploadHandler
from memoryweb.web.templatetags.looks import moment
from tests.accounts.refusal import refusing_events
from tests.language.test_secret_assignments import drawn
from tests.snapshots.archives import ENCRYPTED, Part, of, zipped
from tests.snapshots.exports import TALK, exported
from tests.web.pages import actions, text, url
from tests.world import World

ARCHIVE = of(
    {
        "work/MEMORY.md": "# Memory\n\n- Coffee <b>at</b> six.\n",
        "work/KNOWLEDGE.md": "# Tides\n",
        "work/TOOLS.md": "?",
    }
)


def page(world: World, name: str = "", *args: Any, query: str = "") -> str:
    whole = f"agents_snapshot_{name}" if name else "agents_snapshot"
    return url(world.team, whole, world.agent.pk, *args, query=query)


def send(world: World, client: Client, archive: bytes = ARCHIVE, owner: str = "shared") -> Any:
    file = SimpleUploadedFile("in.zip", archive)
    return client.post(page(world, "upload"), {"file": file, "owner": owner})


def take(world: World, client: Client) -> Any:
    kept = Upload.objects.get()
    shown = text(client.get(page(world, "preview", kept.pk)))
    return client.post(page(world, "import", kept.pk), {"token": token_of(shown)})


def token_of(preview: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', preview)
    assert found
    return found[1]


def test_a_viewer_downloads_the_shared_memory_and_their_own(world: World, vera: Client) -> None:
    shown = text(vera.get(page(world)))
    assert "Your role can't import" in shown
    shared = vera.get(page(world, "export", query="?owner=shared"))
    assert shared["Content-Disposition"] == 'attachment; filename="atlas-shared.zip"'
    assert "SOUL.md" in [entry.name for entry in read(shared.content)]
    mine = vera.get(page(world, "export", query="?owner=me"))
    assert [entry.name for entry in read(mine.content)] == ["manifest.json"]
    assert actions(world.team).count("snapshot.exported") == 2


def test_break_glass_opens_pages_and_hands_nothing_out(world: World, alice: Client) -> None:
    opens = url(world.team, "owners_open", world.customer.pk)
    alice.post(opens, {"reason": "A complaint about a wrong note."})
    query = f"?owner={world.customer.pk}"
    assert (
        alice.get(url(world.team, "agents_files", world.agent.pk, query=query)).status_code == 200
    )
    assert alice.get(page(world, "export", query=query)).status_code == 403


def test_a_memory_with_more_than_one_import_takes_is_offered_in_parts(
    world: World, vera: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Part 1" not in text(vera.get(page(world)))
    monkeypatch.setattr(contents, "MOST_FILES", 2)
    shown = text(vera.get(page(world)))
    assert "Part 2 of 2" in shown
    answer = vera.get(page(world, "export", query="?owner=shared&part=2"))
    assert answer["Content-Disposition"].endswith('"atlas-shared-part-2-of-2.zip"')
    assert len(read(answer.content)) == 3
    assert vera.get(page(world, "export", query="?owner=shared&part=3")).status_code == 404


def test_what_would_be_masked_is_said_with_its_lines_before(world: World, bob: Client) -> None:
    value = drawn(21)
    archive = of({"MEMORY.md": "- Tea.\n", "SOUL.md": f"# Soul\n\n- password: {value}\n"})
    shown = text(bob.get(send(world, bob, archive)["Location"]))
    assert "1 file with likely passwords" in shown
    assert "Line 3 looks like it contains a password." in shown
    assert shown.index("Line 3 looks like") < shown.index("MEMORY.md")
    assert value not in shown
    whole = bob.get(page(world, "change", Upload.objects.get().pk, "SOUL.md"))
    assert "[secret: password]" in text(whole)
    assert "Line 3 looks like" in text(whole)
    assert value not in text(whole)
    imported = text(bob.get(take(world, bob)["Location"]))
    assert "1 likely password was masked." in imported


def test_an_upload_is_looked_at_first(world: World, bob: Client) -> None:
    before = Revision.objects.count()
    answer = send(world, bob)
    assert answer.status_code == 302
    shown = text(bob.get(answer["Location"]))
    assert "1 new file · 1 changed file · 1 ignored entry" in shown
    assert "Coffee &lt;b&gt;at&lt;/b&gt; six." in shown
    assert Revision.objects.count() == before


def test_an_import_writes_it_and_keeps_the_upload_no_longer(world: World, bob: Client) -> None:
    send(world, bob)
    answer = take(world, bob)
    batch = Import.objects.get()
    assert answer["Location"] == url(world.team, "agents_import", world.agent.pk, batch.pk)
    shown = text(bob.get(answer["Location"]))
    assert "2 files were written" in shown
    assert url(world.team, "agents_file", world.agent.pk, "KNOWLEDGE.md") in shown
    assert File.objects.get(path="KNOWLEDGE.md", owner=None).raw_content == "# Tides\n"
    assert not Upload.objects.exists()
    assert "snapshot.imported" in actions(world.team)
    assert "Shared" in text(bob.get(page(world)))


def test_the_address_of_what_changed_is_a_page(world: World, bob: Client) -> None:
    send(world, bob, owner="me")
    shown = text(bob.get(take(world, bob)["Location"]))
    linked = re.findall(r'<a class="(?:path|btn quiet)" href="([^"]+/files/[^"]+)"', shown)
    assert len(linked) == 2 * 2
    for address in linked:
        assert bob.get(unescape(address)).status_code == 200


def test_one_s_own_import_is_seen_by_nobody_else(
    world: World, bob: Client, alice: Client, vera: Client
) -> None:
    send(world, bob, owner="me")
    address = take(world, bob)["Location"]
    assert File.objects.get(owner=world.bobs_memory, path="MEMORY.md")
    assert bob.get(address).status_code == 200
    assert vera.get(address).status_code == 404
    assert alice.get(address).status_code == 403
    assert address not in text(alice.get(page(world)))


def test_whose_memory_it_becomes_is_not_chosen_beforehand(world: World, bob: Client) -> None:
    assert "checked" not in text(bob.get(page(world)))
    answer = bob.post(page(world, "upload"), {"file": SimpleUploadedFile("in.zip", ARCHIVE)})
    assert answer.status_code == 422
    assert not Upload.objects.exists()


def test_another_s_memory_cannot_be_chosen(world: World, bob: Client) -> None:
    assert send(world, bob, owner=str(world.customer.pk)).status_code == 422
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (b"no archive", "This is not a ZIP archive."),
        (zipped(Part("../x.md")), "leads out of its folder"),
        (zipped(Part(flags=ENCRYPTED)), "Send it without a password."),
        (bytes(MAX_UPLOAD + 1), "larger than 16 MiB"),
        (b"", "empty"),
    ],
    ids=["no zip", "traversing", "encrypted", "too large", "nothing"],
)
def test_a_refused_archive_says_why_and_is_not_kept(
    world: World, bob: Client, archive: bytes, said: str
) -> None:
    answer = send(world, bob, archive)
    assert answer.status_code == 422
    assert said in text(answer)
    assert not Upload.objects.exists()


def test_a_state_that_moved_on_shows_a_new_preview(world: World, bob: Client) -> None:
    send(world, bob)
    kept = Upload.objects.get()
    token = token_of(text(bob.get(page(world, "preview", kept.pk))))
    edit = url(world.team, "agents_edit", world.agent.pk, "MEMORY.md")
    sha256 = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md").sha256
    bob.post(edit, {"content": "- Tea.\n", "sha256": sha256})
    answer = bob.post(page(world, "import", kept.pk), {"token": token}, follow=True)
    assert "The memory was changed since this preview." in text(answer)
    assert not Import.objects.exists()
    assert take(world, bob).status_code == 302
    assert Import.objects.count() == 1


def test_an_upload_belongs_to_who_made_it(world: World, bob: Client, alice: Client) -> None:
    send(world, bob)
    kept = Upload.objects.get()
    assert alice.get(page(world, "preview", kept.pk)).status_code == 404
    assert alice.post(page(world, "import", kept.pk), {"token": "x"}).status_code == 404
    assert alice.post(page(world, "drop", kept.pk)).status_code == 404


def test_an_upload_can_be_dropped(world: World, bob: Client) -> None:
    send(world, bob)
    answer = bob.post(page(world, "drop", Upload.objects.get().pk), follow=True)
    assert "Nothing was imported." in text(answer)
    assert not Upload.objects.exists()


def test_an_upload_is_kept_for_an_hour(world: World, bob: Client) -> None:
    send(world, bob)
    kept = Upload.objects.get()
    assert kept.expires_at - timezone.now() <= timedelta(hours=1)
    engine.tick(timezone.now())
    assert Upload.objects.exists()
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert bob.get(page(world, "preview", kept.pk)).status_code == 404
    engine.tick(timezone.now() + CLEANED_EVERY)
    assert not Upload.objects.exists()


def test_the_page_says_until_when_an_upload_is_kept(world: World, bob: Client) -> None:
    shown = text(bob.get(send(world, bob)["Location"]))
    assert f"until {moment(Upload.objects.get().expires_at)}" in shown


def test_an_upload_outlives_a_sign_out_for_the_same_person_alone(world: World, bob: Client) -> None:
    address = send(world, bob)["Location"]
    bob.post(reverse("account_logout"))
    assert bob.get(address).status_code == 302
    bob.force_login(world.bob)
    assert bob.get(address).status_code == 200


def test_an_import_that_fails_keeps_the_upload_and_writes_nothing(
    world: World, bob: Client
) -> None:
    send(world, bob)
    before = Revision.objects.count()
    kept = Upload.objects.get()
    token = token_of(text(bob.get(page(world, "preview", kept.pk))))
    with refusing_events(), pytest.raises(DatabaseError):
        bob.post(page(world, "import", kept.pk), {"token": token})
    assert Upload.objects.filter(pk=kept.pk).exists()
    assert Revision.objects.count() == before


def test_the_next_upload_takes_the_place_of_the_last(world: World, bob: Client) -> None:
    send(world, bob)
    send(world, bob, of({"SOUL.md": "Loud.\n"}))
    assert Upload.objects.count() == 1


def test_nothing_new_offers_no_import(world: World, bob: Client) -> None:
    archive = bob.get(page(world, "export")).content
    shown = text(bob.get(send(world, bob, archive)["Location"]))
    assert "There is nothing to import" in shown
    assert "Import all of it" not in shown


def test_an_empty_archive_says_so(world: World, bob: Client) -> None:
    assert "The archive is empty" in text(bob.get(send(world, bob, of({}))["Location"]))


def test_a_long_change_is_shown_in_part_and_whole_on_its_own_page(
    world: World, bob: Client
) -> None:
    lines = "".join(f"- The lamp {number} burns.\n" for number in range(700))
    shown = text(bob.get(send(world, bob, of({"KNOWLEDGE.md": lines}))["Location"]))
    assert "The lamp 10 burns." in shown
    assert "The lamp 650 burns." not in shown
    address = page(world, "change", Upload.objects.get().pk, "KNOWLEDGE.md")
    assert address in shown
    assert "The lamp 650 burns." in text(bob.get(address + "?page=2"))
    assert bob.get(page(world, "change", Upload.objects.get().pk, "SOUL.md")).status_code == 404


def test_many_files_come_in_pages(world: World, bob: Client) -> None:
    files = {f"memory/2026-01-{day:02}.md": "- Fog.\n" for day in range(1, 32)}
    address = send(world, bob, of(files))["Location"]
    assert "memory/2026-01-31.md" not in text(bob.get(address))
    assert "memory/2026-01-31.md" in text(bob.get(address + "?page=2"))


def test_a_file_of_any_size_leaves_no_more_than_an_archive_may_have() -> None:
    handler = CappedUploadHandler(RequestFactory().post("/"))
    handler.new_file("file", "in.zip", "application/zip", None)
    chunk = bytes(64 * 1024)
    for number in range(400):
        handler.receive_data_chunk(chunk, number * len(chunk))
    file = handler.file_complete(400 * len(chunk))
    assert file is not None
    assert file.size == 400 * len(chunk)
    assert BytesIO(file.read()).getbuffer().nbytes == MAX_UPLOAD + 1
    file.close()


def test_a_chatgpt_export_is_previewed_and_comes_by_a_run(world: World, bob: Client) -> None:
    send(world, bob, exported(TALK), owner="me")
    shown = text(bob.get(page(world, "preview", Upload.objects.get().pk)))
    assert "ChatGPT" in shown
    assert "4 new messages" in shown
    answer = take(world, bob)
    batch = Import.objects.get()
    assert answer.url == url(world.team, "agents_import", world.agent.pk, batch.pk)
    waiting = text(bob.get(answer.url))
    assert "data-poll" in waiting
    assert batch.run is not None
    engine.work(batch.run.pk)
    done = text(bob.get(answer.url))
    assert "4 messages have come." in done
    assert "data-poll" not in done
    run_page = bob.get(url(world.team, "agents_run", batch.run.pk))
    assert run_page.headers["Location"] == answer.url
    send(world, bob, exported(TALK), owner="me")
    assert "There is nothing to import" in text(
        bob.get(page(world, "preview", Upload.objects.get().pk))
    )


def test_another_person_s_import_of_conversations_is_not_found(
    world: World, bob: Client, vera: Client, alice: Client
) -> None:
    send(world, bob, exported(TALK), owner="me")
    shown = take(world, bob).url
    assert vera.get(shown).status_code == 404
    assert "bees" not in text(alice.get(shown))
