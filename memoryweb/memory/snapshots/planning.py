"""What an import would do to each file, decided without writing anything."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from memoryweb.language.secrets import credentials
from memoryweb.markdown.diff import unified, unix_ends
from memoryweb.markdown.marks import without
from memoryweb.markdown.paths import fold
from memoryweb.markdown.settling import settled
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import SecretRefused
from memoryweb.memory.models.writer import Memory, Place, Writer
from memoryweb.memory.snapshots import conversations, formats
from memoryweb.memory.snapshots.contents import Contents, IgnoredEntry, Incoming, as_file, bullets
from memoryweb.memory.snapshots.conversations import Talks
from memoryweb.memory.statements.bullets import statements_of
from memoryweb.memory.statements.corrections import corrections
from memoryweb.memory.visible.placeholders import shown_in_diff
from memoryweb.memory.visible.readable import To
from memoryweb.memory.writing import matrix, screening, tombstones
from memoryweb.memory.writing.matrix import WriteRefused
from memoryweb.memory.writing.screening import ScreenResult, Sight
from memoryweb.memory.writing.tombstones import Tombstones
from memoryweb.memory.writing.write import MAX_BYTES

# Two texts of one daily note in one: an append-only journal loses nothing by an import.

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def joined(here: str, coming: str) -> str:
    """The text that is here, then what it lacks of the other."""
    return here + addition(here, coming)


def addition(here: str, coming: str) -> str:
    """What is to be added at the end: the parts that are lacking, in their order; "" for none.

    A part is a line, or a fenced block of code as a whole; blank lines between new parts stay.
    """
    known = {*_parts(here), *_parts(without(here))} - {""}
    lacking = [part for part in _parts(coming) if part not in known]
    if "" in lacking:  # one stands for several, and none at the beginning
        pairs = zip(["", *lacking], lacking, strict=False)
        lacking = [part for before, part in pairs if part or before]
    if not lacking:
        return ""
    begin = "" if not here or here.endswith("\n") else "\n"
    return begin + "\n".join(lacking).removesuffix("\n") + "\n"


def _parts(text: str) -> Iterable[str]:
    """Without blanks at their ends, by which copies of a line often differ."""
    lines = map(str.rstrip, text.split("\n"))
    return _fenced(lines) if "```" in text or "~~~" in text else lines


def _fenced(lines: Iterable[str]) -> Iterator[str]:
    fenced: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            fenced.append(line)
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                yield "\n".join(fenced)
                fence = ""
        elif mark:
            fence, fenced = mark[1], [line]
        else:
            yield line
    if fence:  # to the end of the text
        yield "\n".join(fenced).rstrip("\n")


_SAME = _("The text is the same.")
_ALL_HERE = _("Every line of it is here already.")
_MASKED = _("The text is the same, but for what is masked.")
_FORGOTTEN = _("The text is the same, but for what was erased here.")
_JOINED = _("Lines that the note lacks are added; none is taken away.")
_ADDED = _("Lines that the file lacks are added; none is taken away.")
_BROUGHT_BACK = _("It was deleted here and comes back.")
_PROPOSED = _("It is in everyone's prompt, so the change waits until a person accepts it.")
_NUL = _("The text contains a NUL character.")
_NO_TEXT = _("The file is not UTF-8 text.")
_TOO_LARGE = _("A file may hold at most 1 MiB of text.")


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    SKIP = "skip"


@dataclass(frozen=True)
class Item:
    """One file. `coming` is the text to write, `code` and `said` tell why it is skipped, or what an
    update keeps; `masked` is what looks like a password, `lifts` what
    somebody took back and the import brings again."""

    path: str
    sources: tuple[str, ...]
    file: File | None = field(repr=False)
    action: Action = Action.SKIP
    coming: str = field(default="", repr=False)
    code: str = ""
    said: str | Promise = ""
    masked: tuple[Sight, ...] = ()
    lifts: tuple[str, ...] = ()
    shown: str | None = field(default=None, repr=False)

    @property
    def reason(self) -> str:
        return str(self.said)

    @property
    def before(self) -> str:
        return self.file.raw_content if self.file else ""

    @property
    def after(self) -> str:
        """The text that an import leaves: what it would mask stands in it as its mark."""
        if self.action == Action.SKIP:
            return self.before
        return self.coming if self.shown is None else self.shown

    @property
    def size_before(self) -> int:
        return len(self.before.encode())

    @property
    def size_after(self) -> int:
        return len(self.after.encode())

    def diff(self, most: int, to: To) -> str:
        """At most so many lines of what changes, as the reader may read them; worked out only when
        asked for."""
        if self.action == Action.SKIP:
            return ""
        if self.action == Action.CREATE:
            lines = [f"+ {line}" for line in self.after.removesuffix("\n").split("\n")]
        else:
            lines = unified(self.before, self.after).split("\n")
        left = len(lines) - most
        more = [gettext("… ({n} more lines)").format(n=left)] if left > 0 else []
        text = "\n".join(lines[:most] + more)
        if self.file is None or self.file.deleted_at is not None:
            return text
        return shown_in_diff(self.file, text, is_program=to is not To.PAGE)


@dataclass(frozen=True)
class Plan:
    """`state` changes with every change of a file that the archive has, too. `is_run`: all of it
    comes by a run."""

    items: tuple[Item, ...]
    ignored: tuple[IgnoredEntry, ...]
    archive_sha256: str
    state: str
    format: str = "snapshot"
    talks: Talks = field(default_factory=Talks)
    is_run: bool = False

    @property
    def changes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.action != Action.SKIP)

    @property
    def masking(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.masked)

    def count(self, action: Action | str) -> int:
        return sum(item.action == action for item in self.items)


def plan(memory: Memory, archive: bytes, writer: Writer, coming: Talks | None = None) -> Plan:
    """Raises ArchiveRefused. Reads this one workspace in four statements. `coming` is what the
    archive's conversations are, for who has looked at them before."""
    contents = formats.read(archive)
    coming = conversations.look(memory, contents) if coming is None else coming
    incoming_files, ignored = _files_of(contents, coming)
    # A deleted file counts as well: an import brings it back, with its history.
    names = [fold(incoming.path) for incoming in incoming_files]
    here = {file.folded_path: file for file in memory.files.filter(folded_path__in=names)}
    items = [_item(incoming, here.get(fold(incoming.path))) for incoming in incoming_files]
    buried = tombstones.of(*memory.key)
    items = [_settled(item, writer) for item in items]
    items = [_still_forgotten(item, buried) for item in items]
    items = [_allowed(item, memory.at(item.path), writer) for item in items]
    items = [_without_credential(item) for item in items]
    if matrix.is_person(writer):
        items = list(_lifting(items, memory))
    return Plan(
        tuple(_screened(items, memory.agent.team_id, memory.owner_id)),
        ignored,
        hashlib.sha256(archive).hexdigest(),
        _state(here.values()),
        contents.format,
        coming,
    )


def _files_of(contents: Contents, coming: Talks) -> tuple[list[Incoming], tuple[IgnoredEntry, ...]]:
    """With what the conversations remember; of what is added to a file, no line with a secret."""
    files = [replace(one, data=_unix_ended(one.data)) for one in contents.files]
    lines, _left_out = bullets(coming.remembered)
    if lines:
        name = contents.format
        files.append(Incoming(contents.remembered_in, as_file(lines), (name,), joins=True))
    told = [_without_secrets(one) if one.joins else (one, ()) for one in files]
    more = [ignored for _file, found in told for ignored in found]
    return [file for file, _found in told], (*contents.ignored, *coming.ignored, *more)


def _without_secrets(incoming: Incoming) -> tuple[Incoming, Sequence[IgnoredEntry]]:
    text = incoming.data.decode("utf-8", "replace")
    lines = text.split("\n")
    kept = (
        [line for line in lines if not credentials.find(line)] if credentials.find(text) else lines
    )
    if len(kept) == len(lines):
        return incoming, ()
    said = ngettext(
        "{n} line looks like a secret and isn't taken.",
        "{n} lines look like secrets and aren't taken.",
        len(lines) - len(kept),
    ).format(n=len(lines) - len(kept))
    ignored = IgnoredEntry(incoming.path, SecretRefused.code, said)
    return replace(incoming, data="\n".join(kept).encode()), (ignored,)


def _unix_ended(data: bytes) -> bytes:
    """As files are kept: what is judged here is what will be written."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _state(files: Iterable[File]) -> str:
    rows = (f"{file.folded_path} {file.revision} {file.sha256}" for file in files)
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()


def _item(incoming: Incoming, file: File | None) -> Item:
    """What becomes of it by its text, whoever brings it and whatever it holds."""
    item = Item(incoming.path, incoming.sources, file)
    if wrong := _wrong(incoming.data):
        return _left_out(item, "content_refused", wrong)
    coming = incoming.data.decode()
    if file is None:
        return replace(item, action=Action.CREATE, coming=coming)
    if file.deleted_at is not None:
        action, code, said = Action.CREATE, "brought_back", _BROUGHT_BACK
        return replace(item, action=action, coming=coming, code=code, said=said)
    before = unix_ends(file.raw_content)
    if coming == before:
        return _left_out(item, "same", _SAME)
    if not incoming.note_date and not incoming.joins:
        return replace(item, action=Action.UPDATE, coming=coming)
    whole = joined(file.raw_content, coming)
    if whole == file.raw_content:
        return _left_out(item, "same", _ALL_HERE)
    if len(whole.encode()) > MAX_BYTES:
        return _left_out(item, "content_refused", _TOO_LARGE)
    said = _JOINED if incoming.note_date else _ADDED
    return replace(item, action=Action.UPDATE, coming=whole, code="joined", said=said)


def _wrong(data: bytes) -> Promise | None:
    """Why these bytes are no text of a workspace."""
    if b"\0" in data:
        return _NUL
    try:
        data.decode()
    except UnicodeDecodeError:
        return _NO_TEXT
    return _TOO_LARGE if len(data) > MAX_BYTES else None


def _allowed(item: Item, place: Place, writer: Writer) -> Item:
    """An archive is a way in, not an author: whoever brings it may write no more than by hand."""
    if item.action == Action.SKIP:
        return item
    if refused := matrix.refusal(writer, place):
        return _left_out(item, WriteRefused.code, refused)
    if matrix.why_asked(writer, place, item.file) is None:
        return item
    return replace(item, code="proposed", said=_PROPOSED)


def _settled(item: Item, writer: Writer) -> Item:
    """A program's archive says of nothing that it has ended."""
    coming = settled(item.before, item.coming, by_person=writer.may_mark)
    if item.action == Action.UPDATE and coming == unix_ends(item.before):
        return _left_out(item, "same", _SAME)
    return replace(item, coming=coming)


def _still_forgotten(item: Item, buried: Tombstones) -> Item:
    """What was erased comes back by no archive."""
    coming = buried.kept_out(item.coming, known=item.before)
    if item.action == Action.UPDATE and coming == item.before:
        return _left_out(item, "same", _FORGOTTEN)
    return replace(item, coming=coming)


def _without_credential(item: Item) -> Item:
    """What may not be kept is turned away here, before anything is written."""
    if item.action == Action.SKIP:
        return item
    text, known = item.coming, item.before
    for secret in credentials.find(text):
        if text[secret.start : secret.end] not in known:
            line = text.count("\n", 0, secret.start) + 1
            told = gettext(
                "Line {line} holds what looks like a secret ({kind}). Take it out of the archive."
            )
            return _left_out(item, SecretRefused.code, told.format(line=line, kind=secret.kind))
    return item


def _screened(items: Sequence[Item], team_id: UUID, owner_id: UUID | None) -> Iterator[Item]:
    """With what is likely a password masked."""
    changing = [item for item in items if item.action != Action.SKIP]
    texts = [(item.coming, item.before) for item in changing]
    found = screening.mask_likely(team_id, texts, owner_id=owner_id)
    outcomes = {item.path: one for item, one in zip(changing, found, strict=True) if one.masked}
    for item in items:
        yield _masked(item, outcomes[item.path]) if item.path in outcomes else item


def _lifting(items: Sequence[Item], memory: Memory) -> Iterator[Item]:
    """A person who imports what was taken back says it anew."""
    rows = corrections(*memory.key).values_list("fingerprint", flat=True)
    taken_back = set(rows)
    for item in items:
        brings = statements_of(item.after, item.path) if taken_back else []
        found = tuple(one.text for one in brings if one.print in taken_back)
        yield replace(item, lifts=found) if found else item


def _masked(item: Item, screened: ScreenResult) -> Item:
    if item.action == Action.UPDATE and screened.text == item.before:
        return _left_out(item, "same", _MASKED)
    return replace(item, masked=screened.masked, shown=screened.text)


def _left_out(item: Item, code: str, said: Promise | str) -> Item:
    return replace(item, action=Action.SKIP, code=code, said=said)
