"""Everything that came from one source: who sees what of it, and taking it back from the page."""

import re
from datetime import UTC, datetime
from html import unescape

from django.test import Client

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Token
from memoryweb.agents.models import Owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Conversation, File, Import
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.world import World, signed_in

NOTE = "memory/2026-11-20.md"
SECRET = "the green kayak"


def _token(world: World) -> Token:
    return tokens.issue(
        team=world.team,
        by=SYSTEM,
        integration=world.integration,
        name="Desk",
        scopes=world.integration.scopes,
    )[0]


def _remembered(world: World, token: Token, text: str, owner: Owner | None = None) -> File:
    writer = Writer(AuthorKind.AGENT, integration=world.integration, token=token, is_tool=True)
    with write_transaction(world.team) as tx:
        lines = [NewLine(f"- 09:05 {text}")]
        return append(tx, Place(world.agent, owner, NOTE), lines, writer=writer).file


def _talk(world: World, owner: Owner) -> Conversation:
    at = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
    said = NewMessage(role="user", content=f"I bought {SECRET}.", timestamp=at)
    with write_transaction(world.team) as tx:
        talk = add_messages(
            tx, agent=world.agent, owner=owner, conversation_id="c", messages=[said]
        ).conversation
        message = talk.messages.get()
        line = NewLine(f"- 09:05 Bought {SECRET}.", Origin((Source(message_id=message.pk),)))
        writer = Writer(AuthorKind.EXTRACTION, is_vouched=True)
        append(tx, Place(world.agent, owner, NOTE), [line], writer=writer)
    return talk


def _url(world: World, query: str = "") -> str:
    return f"/t/{world.team.slug}/agents/{world.agent.pk}/provenance/{query}"


def _page(client: Client, world: World, query: str = "") -> str:
    return client.get(_url(world, query)).content.decode()


def _revert(client: Client, world: World, **data: object) -> int:
    return client.post(_url(world, "revert/"), data).status_code


def test_without_a_source_it_lists_imports_and_tokens(world: World) -> None:
    _remembered(world, _token(world), "Tea.")
    Import.objects.create(team=world.team, agent=world.agent, archive_sha256="0" * 64)
    page = _page(signed_in(world.alice), world)
    assert "Desk" in page
    assert "?import=" in page


def test_it_shows_the_lines_and_what_would_change(world: World) -> None:
    token = _token(world)
    _remembered(world, token, "Acme is best.")
    page = _page(signed_in(world.alice), world, f"?token={token.pk}")
    assert f"{NOTE}:3" in page
    assert f"{NOTE} would be deleted" in page
    assert "Revert all of it" in page


def test_the_button_takes_all_of_it_back(world: World) -> None:
    token = _token(world)
    file = _remembered(world, token, "Acme is best.")
    assert _revert(signed_in(world.alice), world, token=token.pk) == 302
    file.refresh_from_db()
    assert file.deleted_at is not None
    page = _page(signed_in(world.alice), world, f"?token={token.pk}")
    assert "nothing here that you can revert" in page


def _two_files(world: World, token: Token) -> tuple[File, File]:
    note = _remembered(world, token, "Acme is best.")
    writer = Writer(AuthorKind.AGENT, integration=world.integration, token=token, is_tool=True)
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "topics/acme.md")
        return note, write(tx, place, "# Acme\n\n- Acme is cheap.\n", writer=writer).file


def test_its_message_offers_to_undo_it_in_every_file(world: World) -> None:
    token, alice = _token(world), signed_in(world.alice)
    note, other = _two_files(world, token)
    before = {file.pk: file.raw_content for file in (note, other)}
    said = alice.post(_url(world, "revert/"), {"token": token.pk}, follow=True).content.decode()
    assert "Reverted in 2 files." in said
    assert all(file.deleted_at for file in File.objects.filter(pk__in=before))

    back = alice.post(_address(said), follow=True).content.decode()
    assert "the files are as they were before." in back
    assert {file.pk: file.raw_content for file in File.objects.filter(pk__in=before)} == before
    assert "Revert all of it" in back  # the lines are the token's again


def test_what_was_written_since_the_revert_stays_and_nothing_else_is_undone(world: World) -> None:
    token, alice = _token(world), signed_in(world.alice)
    note, other = _two_files(world, token)
    said = alice.post(_url(world, "revert/"), {"token": token.pk}, follow=True).content.decode()
    _remembered(world, token, "Tea is served.")
    refused = alice.post(_address(said), follow=True).content.decode()
    assert "has changed since" in refused
    note.refresh_from_db()
    other.refresh_from_db()
    assert "Tea is served." in note.raw_content
    assert other.deleted_at is not None


def test_nobody_else_undoes_it(world: World) -> None:
    token = _token(world)
    note = _remembered(world, token, "Acme is best.")
    reverted = signed_in(world.alice).post(_url(world, "revert/"), {"token": token.pk}, follow=True)
    said = reverted.content.decode()
    page = signed_in(world.bob).post(_address(said), follow=True).content.decode()
    assert "as it was before" not in page
    note.refresh_from_db()
    assert note.deleted_at is not None


def _address(page: str) -> str:
    [address] = re.findall(r'action="([^"]*/provenance/undo/[^"]*)"', page)
    return unescape(address)


def test_who_wrote_meanwhile_is_not_overrun(world: World) -> None:
    token = _token(world)
    file = _remembered(world, token, "Acme is best.")
    alice = signed_in(world.alice)
    before = _page(alice, world, f"?token={token.pk}")
    plan = before.split('name="plan" value="')[1].split('"')[0]
    _remembered(world, token, "Acme is cheap.")
    _revert(alice, world, token=token.pk, plan=plan)
    file.refresh_from_db()
    assert file.deleted_at is None
    assert "Something was written since you looked" in _page(alice, world)


def test_another_owner_s_words_are_counted_and_never_shown_or_taken(world: World) -> None:
    talk = _talk(world, world.bobs_memory)
    alice = signed_in(world.alice)
    page = _page(alice, world, f"?conversation={talk.pk}")
    assert SECRET not in page
    assert "1 more line is in another person" in page
    _revert(alice, world, conversation=talk.pk)
    assert SECRET in File.objects.get(path=NOTE, owner=world.bobs_memory).raw_content


def test_the_owner_takes_their_own_back_whatever_their_role(world: World) -> None:
    talk = _talk(world, world.bobs_memory)
    world.team.memberships.filter(user=world.bob).update(role="viewer")
    bob = signed_in(world.bob)
    assert SECRET in _page(bob, world, f"?conversation={talk.pk}")
    assert _revert(bob, world, conversation=talk.pk) == 302
    assert not File.objects.present().filter(path=NOTE, owner=world.bobs_memory).exists()


def test_a_viewer_sees_an_import_and_does_not_take_it_back(world: World) -> None:
    batch = Import.objects.create(team=world.team, agent=world.agent, archive_sha256="0" * 64)
    writer = Writer(AuthorKind.IMPORT, user=world.alice, batch=batch)
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, None, "KNOWLEDGE.md"), "- Acme.\n", writer=writer)
    vera = signed_in(world.vera)
    page = _page(vera, world, f"?import={batch.pk}")
    assert "Acme." in page
    assert "Revert all of it" not in page
    assert _revert(vera, world, **{"import": batch.pk}) == 403


def test_who_may_not_know_of_the_source_gets_404(world: World) -> None:
    token, talk = _token(world), _talk(world, world.bobs_memory)
    for query in (f"?token={token.pk}", f"?conversation={talk.pk}", "?run=nonsense"):
        assert signed_in(world.vera).get(_url(world, query)).status_code == 404
    charlie = signed_in(world.charlie)
    assert charlie.get(_url(world)).status_code == 404
    assert _revert(charlie, world, token=token.pk) == 404


def test_it_rejects_get(world: World) -> None:
    assert signed_in(world.alice).get(_url(world, "revert/")).status_code == 405


def test_a_conversation_and_a_run_link_to_it(world: World) -> None:
    talk = _talk(world, world.bobs_memory)
    url = f"/t/{world.team.slug}/agents/{world.agent.pk}/conversations/{talk.pk}/"
    assert f"?conversation={talk.pk}" in signed_in(world.bob).get(url).content.decode()


def test_quotation_marks_of_a_line_are_shown_as_they_are(world: World) -> None:
    token = _token(world)
    _remembered(world, token, "Ann's tea & cake.")
    page = _page(signed_in(world.alice), world, f"?token={token.pk}")
    assert "Ann&#x27;s tea &amp; cake." in page
