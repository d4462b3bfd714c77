"""`memory.writing.write`: the only way text enters a workspace, whoever writes.

In the caller's unit: path and size rules → secret scan → optimistic lock → revision →
line origins → search index → audit event → facts.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from django.utils.translation import gettext as _

from memoryweb.markdown import paths
from memoryweb.markdown.diff import unix_ends
from memoryweb.markdown.settling import settled
from memoryweb.memory.index import indexing
from memoryweb.memory.lines import flags
from memoryweb.memory.lines import origins as line_origins
from memoryweb.memory.lines.files import last_places, locked_at_paths, new_file
from memoryweb.memory.lines.flags import NewLines, without_flagged
from memoryweb.memory.lines.history import returning, rooted
from memoryweb.memory.lines.origins import Origin
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import File, Proposal, Revision
from memoryweb.memory.models.refusals import ContentRefused, Exists, FileMissing, Stale
from memoryweb.memory.models.writer import Place as Place
from memoryweb.memory.models.writer import Transaction
from memoryweb.memory.models.writer import Writer as Writer
from memoryweb.memory.statements import projection
from memoryweb.memory.statements.projection import Whys
from memoryweb.memory.visible import placeholders
from memoryweb.memory.writing import matrix, proposing, screening, tombstones
from memoryweb.memory.writing.put_back import without_lines
from memoryweb.memory.writing.revising import Change, Save, keep, record, revise, save
from memoryweb.memory.writing.screening import ScreenResult, Sight

MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class NewLine:
    text: str
    origin: Origin = field(default_factory=Origin)


@dataclass(frozen=True)
class WriteResult:
    """`revision` is None when the same text was not written again, and when a person has to accept
    it first (`proposal`); of `masked` the marks stand in it."""

    file: File
    revision: Revision | None
    before: int = 0
    first_line: int = 0
    masked: tuple[Sight, ...] = ()
    proposal: Proposal | None = None

    @property
    def changed(self) -> bool:
        return self.revision is not None


@dataclass(frozen=True)
class Text:
    """The whole text of a file, to be written; `write` tells the rest."""

    place: Place
    content: str
    expected: str | None = None
    reason: str = ""
    origins: Mapping[int, Origin] = field(default_factory=dict)
    whys: Whys | None = None


def find(place: Place) -> File | None:
    """The file at a place, present or deleted, locked against other writers."""
    return _find([place]).get(paths.fold(place.path))


def _find(places: Sequence[Place]) -> dict[str, File]:
    """Those of one workspace, by their folded paths."""
    memory = places[0].memory
    names = tuple(paths.fold(place.path) for place in places)
    found = locked_at_paths(*memory.key, names)
    for file in found:
        file.agent, file.owner = memory.agent, memory.owner
    return {file.folded_path: file for file in found}


def lock(file: File) -> File:
    """The file as it is now: what a caller holds may be older than the unit."""
    return File.objects.select_for_update(of=("self",)).get(pk=file.pk)


def write(
    tx: Transaction,
    place: Place,
    content: str,
    *,
    writer: Writer,
    expected: str | None = None,
    reason: str = "",
    origins: Mapping[int, Origin] | None = None,
    whys: Whys | None = None,
) -> WriteResult:
    """Replace a file's text, or make the file. Lines end with a newline alone.

    `expected` is the SHA-256 of the text that the caller saw ("": no file, None: not checked).
    `origins` says where new lines came from, `whys` why statements went. Raises PathRefused,
    WriteRefused, ContentRefused, SecretRefused, AssignmentsFound, Exists, Stale.
    """
    text = Text(place, content, expected, reason, origins or {}, whys)
    return write_all(tx, [text], writer=writer)[0]


def change(
    tx: Transaction,
    place: Place,
    how: Callable[[str], str],
    *,
    writer: Writer,
    whys: Whys | None = None,
) -> WriteResult:
    """The same with what `how` makes of the true text there; of a file that is not there, of ""."""
    file = find(place)
    return write(tx, place, how(file.raw_content if file else ""), writer=writer, whys=whys)


def write_all(tx: Transaction, texts: Sequence[Text], *, writer: Writer) -> list[WriteResult]:
    """The same for files of one workspace, at once: all are written, or none."""
    named = [screening.path(text.place.path) for text in texts]  # PostgreSQL can't look for a NUL
    found = _find([text.place for text in texts])
    places = last_places(texts[0].place.memory)
    buried = tombstones.of(*texts[0].place.memory.key)
    made = [
        _judged(tx, text, path, found.get(path.folded), writer, places, buried)
        for text, path in zip(texts, named, strict=True)
    ]
    saves = [one for one in made if isinstance(one, Save)]
    before = [one.file.raw_content for one in saves]
    revisions = iter(save(tx, "file.written", saves, writer))
    if buried.is_hiding and not writer.is_own_hand:
        tombstones.in_files([one.file for one in saves], before)
    return [
        _written(tx, one, next(revisions), writer) if isinstance(one, Save) else one for one in made
    ]


def _judged(
    tx: Transaction,
    text: Text,
    path: paths.WorkspacePath,
    file: File | None,
    writer: Writer,
    places: Iterator[int],
    buried: tombstones.Tombstones,
) -> WriteResult | Save:
    """What is to be saved; or what came of it, where that is nothing."""
    place = text.place
    matrix.check(writer, place)
    _check_content(content := unix_ends(text.content))
    _check_lock(file, path.text, text.expected)
    if text.whys is None or writer.is_program:  # else it says which statements it takes out
        content = placeholders.put_back(file, content, writer)
    known = file.raw_content if file else ""
    content = settled(known, content, by_person=writer.may_mark)
    content = _kept_out(tx, buried, content, known, writer)
    if _is_at(file, content):
        return WriteResult(file, None, file.revision)
    screened = screening.screen(
        tx.team.pk, content, owner_id=place.owner_id, known=known, typed_by=writer
    )
    content = screened.text
    if _is_at(file, content):
        return WriteResult(file, None, file.revision, masked=screened.masked)
    if (broken := matrix.why_asked(writer, place, file)) is not None:
        file = file or proposing.kept_free(tx, place, path, places)
        return _held_back(tx, file, broken, screened, writer, text.origins)
    file = _at(file, place, path, writer, places)
    return Save(file, Change(content, reason=text.reason), text.origins, screened, text.whys)


def _written(tx: Transaction, done: Save, revision: Revision, writer: Writer) -> WriteResult:
    masked = done.screened.masked if done.screened else ()
    if done.screened:
        screening.note(tx, done.file, done.screened, writer)
    return WriteResult(done.file, revision, revision.number - 1, masked=masked)


def _is_at(file: File | None, content: str) -> TypeGuard[File]:
    """The file is there with just this text."""
    return file is not None and file.deleted_at is None and unix_ends(file.raw_content) == content


def append(
    tx: Transaction, place: Place, lines: Sequence[NewLine], *, writer: Writer
) -> WriteResult:
    """Add lines at the end of a file, stored as a delta; a new daily note gets its date as heading
    first. A secret in a machine's line is masked, a person's is refused."""
    path = screening.path(place.path)
    matrix.check(writer, place)
    file = find(place)
    broken = matrix.why_asked(writer, place, file)
    places = last_places(place.memory)
    if file is None and broken is not None:
        file = proposing.kept_free(tx, place, path, places)
    if file is None or file.deleted_at is not None:
        file = _at(file, place, path, writer, places)
        header = f"# {path.note_date.isoformat()}\n\n" if path.note_date else ""
    else:
        header = "" if not file.raw_content or file.raw_content.endswith("\n") else "\n"
    first = (file.raw_content + header).count("\n") + 1
    buried = tombstones.of(place.agent.pk, place.owner_id)
    left = ((line, _kept_out(tx, buried, line.text, "", writer)) for line in lines)
    lines = [replace(line, text=text) for line, text in left if text or not line.text]
    if not lines:
        return WriteResult(file, None, file.revision)
    screened = screening.each_line(tx.team.pk, lines, first, place.owner_id, writer)
    delta = header + settled("", screened.text, by_person=writer.may_mark)
    _check_content(file.raw_content + delta)
    origins = {first + at: line.origin for at, line in enumerate(lines)}
    if broken is not None:
        whole = replace(screened, text=file.raw_content + delta)
        return _held_back(tx, file, broken, whole, writer, origins)
    before = file.raw_content
    stood = without_flagged(before, flags.flagged_lines(file))
    [revision] = revise(tx, [(file, Change(file.raw_content + delta, delta))], writer)
    rows = list(line_origins.new_rows(file, revision, rooted(origins)))
    keep(tx, "file.written", [NewLines(file, stood, rows)], [revision])
    projection.project(tx, file, revision, before, writer)
    if buried.is_hiding and not writer.is_own_hand:
        tombstones.in_files([file], [before])
    screening.note(tx, file, screened, writer)
    return WriteResult(file, revision, revision.number - 1, first, screened.masked)


def take_out(
    tx: Transaction, file: File, numbers: Collection[int], *, writer: Writer, reason: str
) -> WriteResult:
    """Without these lines of its current text."""
    content = without_lines(file.raw_content, numbers)
    return write(tx, _place_of(file), content, writer=writer, reason=reason)


def delete(
    tx: Transaction,
    file: File,
    *,
    writer: Writer,
    expected: str | None = None,
    whys: Whys | None = None,
) -> Revision:
    """Take a file away. Its history stays, and restoring any revision brings it back.

    Raises WriteRefused, FileMissing, Stale.
    """
    file = lock(file)
    check_deletion(file, writer=writer, expected=expected)
    gone = Save(file, Change("", is_deletion=True), whys=whys)
    [revision] = save(tx, "file.deleted", [gone], writer)
    return revision


def check_deletion(file: File, *, writer: Writer, expected: str | None = None) -> None:
    """Raises what `delete` would."""
    matrix.check(writer, _place_of(file))
    matrix.check_taking_out(writer, file)
    _check_lock(file, file.path, expected)
    if file.deleted_at is not None:
        raise FileMissing(file.path)
    placeholders.check_deletion(file, writer)


def restore(
    tx: Transaction, file: File, number: int, *, writer: Writer, whys: Whys | None = None
) -> WriteResult:
    """Make an earlier revision's text current again, as a new revision. Its lines stay the words
    of whoever wrote them, and stand on what they stood on.

    Raises WriteRefused, Revision.DoesNotExist, SecretRefused.
    """
    file = lock(file)
    matrix.check(writer, _place_of(file))
    content = placeholders.put_back(file, content_of(file, number), writer)
    before, buried = file.raw_content, tombstones.of(file.agent_id, file.owner_id)
    content = buried.kept_out(content, known=before)
    if content == file.raw_content and file.deleted_at is None:
        return WriteResult(file, None, file.revision)
    screened = screening.screen(tx.team.pk, content, owner_id=file.owner_id)
    content = screened.text
    if content == file.raw_content and file.deleted_at is None:
        return WriteResult(file, None, file.revision, masked=screened.masked)
    origins = returning(file, number)
    if (broken := matrix.why_asked(writer, _place_of(file), file)) is not None:
        return _held_back(tx, file, broken, screened, writer, {})
    back = Save(file, Change(content, restored_from=number), origins, screened, whys)
    [revision] = save(tx, "file.restored", [back], writer)
    if buried.is_hiding:
        tombstones.in_files([file], [before])
    return _written(tx, back, revision, writer)


def rename(
    tx: Transaction, file: File, path: str, *, writer: Writer, expected: str | None = None
) -> WriteResult:
    """Give a file another path. Its text stays, and its history follows it.

    A deleted file that still has the name steps aside with its history. Raises PathRefused,
    FileMissing, Exists, Stale.
    """
    file = lock(file)
    wanted = check_renaming(file, path, writer=writer)
    if expected is not None and file.sha256 != expected:
        raise Stale(file)
    if file.path == wanted.text:
        return WriteResult(file, None, file.revision)
    other = find(Place(file.agent, file.owner, wanted.text))
    if other is not None and other != file:
        if other.deleted_at is None:
            raise Exists(other.path)
        _step_aside(tx, other, writer)
    was = file.path
    revision = _move(tx, file, wanted, Change(file.raw_content, delta=""), writer)
    projection.follow_name(tx, file, was, writer)
    indexing.index_files([file])
    return WriteResult(file, revision, revision.number - 1)


def check_renaming(file: File, path: str, *, writer: Writer) -> paths.WorkspacePath:
    """The path as it would stand. Raises PathRefused, FileMissing, WriteRefused."""
    wanted = screening.path(path)
    matrix.check(writer, _place_of(file))
    matrix.check(writer, _place_of(file), wanted.text)
    matrix.check_renaming(writer, file, wanted.text)
    if file.deleted_at is not None:
        raise FileMissing(file.path)
    return wanted


def _kept_out(
    tx: Transaction, buried: tombstones.Tombstones, content: str, known: str, writer: Writer
) -> str:
    """Without what was erased here; unless a person writes it again, with their own hands."""
    if writer.is_own_hand:
        fresh = dict.fromkeys(tombstones.new_lines(content, known), tx.now)
        buried = tombstones.lifted(tx, buried, fresh)
    return buried.kept_out(content, known=known)


def _held_back(
    tx: Transaction,
    file: File,
    broken: Sequence[tuple[str, str]],
    screened: ScreenResult,
    writer: Writer,
    origins: Mapping[int, Origin],
) -> WriteResult:
    """Nothing is written: the change waits for a person, or was rejected by one before."""
    proposal = proposing.hold_back(
        tx, file, screened.text, writer=writer, broken=broken, origins=origins
    )
    if proposal is not None:
        screening.note(tx, file, screened, writer)
    return WriteResult(file, None, file.revision, masked=screened.masked, proposal=proposal)


def _place_of(file: File) -> Place:
    return Place(file.agent, file.owner, file.path)


def _check_content(content: str) -> None:
    if "\0" in content:
        raise ContentRefused(_("The text contains a NUL character; remove it and save again."))
    try:
        size = len(content.encode())
    except UnicodeEncodeError as error:
        raise ContentRefused(_("The text is not valid Unicode.")) from error
    if size > MAX_BYTES:
        raise ContentRefused(_("A file may hold at most 1 MiB of text."))


def _check_lock(file: File | None, path: str, expected: str | None) -> None:
    present = file is not None and file.deleted_at is None
    if file is not None and present and file.path != path:
        raise Exists(file.path)
    if expected is None:
        return
    if expected == "":
        if present:
            raise Exists(path)
        return
    if file is None:
        raise FileMissing(path)
    if not present or file.sha256 != expected:
        raise Stale(file)


def _at(
    file: File | None,
    place: Place,
    path: paths.WorkspacePath,
    writer: Writer,
    places: Iterator[int],
) -> File:
    """The file to write: one that was deleted comes back under the name it is given now."""
    if file is None:
        by_person = matrix.is_person(writer)
        return new_file(place.memory, path, places, by_person=by_person)
    file.path = path.text
    return file


def _step_aside(tx: Transaction, file: File, writer: Writer) -> None:
    """A deleted file leaves its name to another; it can still be found and restored."""
    name = file.path.rsplit("/", 1)[-1][-200:]
    aside = paths.parse(f"deleted/{file.pk.hex[:8]}-r{file.revision}-{name}")
    deleted_at, file.enabled = file.deleted_at, False
    _move(tx, file, aside, Change("", is_deletion=True), writer)
    file.deleted_at = deleted_at
    file.save(update_fields=["deleted_at"])


def _move(
    tx: Transaction, file: File, path: paths.WorkspacePath, change: Change, writer: Writer
) -> Revision:
    was = file.path
    file.path, file.folded_path, file.note_date = path.text, path.folded, path.note_date
    [revision] = revise(tx, [(file, change)], writer)
    record(tx, "file.renamed", file, revision, was=was)
    return revision
