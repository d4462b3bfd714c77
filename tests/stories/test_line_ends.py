"""A file with the line ends of another system goes through the editor of a browser."""

import pytest
from django.test import Client

from memoryweb.markdown.diff import unix_ends
from memoryweb.memory.lines.history import blame_of
from memoryweb.memory.models import AuthorKind, File, Revision
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing import write
from memoryweb.memory.writing.revising import sha256
from tests.world import World, signed_in

TEXT = "# Tea\r\n\r\n- Green.\r\n- Black.\r\n"


def _file(world: World, *, is_old: bool) -> File:
    """Written by a program; an `is_old` one before line ends were made alike."""
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "notes.md")
        file = write.write(tx, place, TEXT, writer=Writer(AuthorKind.AGENT)).file
    if is_old:
        digest = sha256(TEXT)
        Revision.objects.filter(file=file).update(raw_text=TEXT, sha256=digest)
        File.objects.filter(pk=file.pk).update(raw_content=TEXT, sha256=digest)
        file.refresh_from_db()
    return file


def _saved(world: World, client: Client, file: File, text: str) -> None:
    """As a browser sends it: with the line ends of forms."""
    url = f"/t/{world.team.slug}/agents/{world.agent.pk}/files/{file.path}/edit/"
    sent = {"content": unix_ends(text).replace("\n", "\r\n"), "sha256": file.sha256}
    assert client.post(url, sent).status_code == 302
    file.refresh_from_db()


@pytest.mark.parametrize("is_old", [False, True])
def test_saved_unchanged_every_line_keeps_its_author(world: World, *, is_old: bool) -> None:
    file = _file(world, is_old=is_old)
    _saved(world, signed_in(world.alice), file, TEXT)
    assert set(file.origins.values_list("author_kind", flat=True)) == {AuthorKind.AGENT}
    assert file.revision == 1


@pytest.mark.parametrize("is_old", [False, True])
def test_saved_with_one_line_changed_only_that_one_is_the_person_s(
    world: World, *, is_old: bool
) -> None:
    file = _file(world, is_old=is_old)
    _saved(world, signed_in(world.alice), file, TEXT.replace("Black", "White"))
    people = file.origins.filter(author_kind=AuthorKind.PERSON)
    assert list(people.values_list("line", flat=True)) == [4]
    assert blame_of(file, file.revision)[:4] == [1, 1, 1, 2]
