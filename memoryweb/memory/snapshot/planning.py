"""Decides what an import would do to each file, without writing anything."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memoryweb.agents.models import Agent, Owner
from memoryweb.language.secrets import credentials
from memoryweb.memory import screening, write_matrix
from memoryweb.memory.exceptions import SecretRefused
from memoryweb.memory.screening import Screened
from memoryweb.memory.snapshot import existing
from memoryweb.memory.snapshot.existing import Pair
from memoryweb.memory.snapshot.plan import Action, Item, Plan
from memoryweb.memory.snapshot.secrets import Sifter
from memoryweb.memory.write import MAX_BYTES
from memoryweb.memory.write_matrix import WriteRefused
from memoryweb.provenance.writers import Place, Writer
from memoryweb.snapshots.contents import sort_out
from memoryweb.snapshots.reading import Entry, entries
from memoryweb.snapshots.union import addition

_SEAM = 1024  # characters before what is added to a note that could begin a secret
_SAME = _("The text is the same.")
_ALL_HERE = _("Every line of it is here already.")
_HELD_BACK = _("The text is the same, but for what is held back.")
_JOINED = _("Lines that the note lacks are added; none is taken away.")
_BROUGHT_BACK = _("It was deleted here and comes back.")
_PROPOSED = _("It is in everyone's prompt, so the change waits until a person accepts it.")
_NUL = _("The text contains a NUL character.")
_NO_TEXT = _("The file is not UTF-8 text.")
_TOO_LARGE = _("A file may hold at most 1 MiB of text.")


def plan(agent: Agent, owner: Owner | None, archive: bytes, writer: Writer) -> Plan:
    """Raises ArchiveRefused. Reads this one workspace in two statements."""
    coming = map(_unix_ended, entries(archive))
    with Sifter() as sifter:
        digest = sifter.sha256(archive)
        contents = sort_out(list(sifter.passing(coming)))
        pairs = existing.beside(agent, owner, contents.files)
        items = [_judged(_item(pair, sifter), agent, owner, writer) for pair in pairs]
        suspects = sifter.suspects()
        archive_sha256 = digest.result()
    looked_at = _looked_at(items, suspects, agent.team_id, owner.pk if owner else None)
    return Plan(
        tuple(looked_at.get(item.path, item) for item in items),
        contents.ignored,
        archive_sha256,
        existing.state(pair.file for pair in pairs if pair.file),
    )


def _unix_ended(entry: Entry) -> Entry:
    """As files are kept: what is judged here is what will be written."""
    if b"\r" not in entry.data:
        return entry
    return replace(entry, data=entry.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))


def _item(pair: Pair, sifter: Sifter) -> Item:
    """But for secrets: those are looked for aside."""
    file, incoming = pair.file, pair.incoming
    if file and file.is_same:
        sifter.forget(incoming.sources)
        return _made(pair, Action.SKIP, file.size, "same", _SAME)
    if wrong := _wrong(incoming.data):
        return _skipped(pair, "content_refused", wrong)
    if len(incoming.data) > MAX_BYTES:
        return _skipped(pair, "content_refused", _TOO_LARGE)
    if file and file.is_present and incoming.note_date:
        return _joined(pair, file.content, sifter)
    size = len(incoming.data)
    if file and not file.is_present:
        return _made(pair, Action.CREATE, size, "brought_back", _BROUGHT_BACK)
    return _made(pair, Action.UPDATE if file else Action.CREATE, size)


def _judged(item: Item, agent: Agent, owner: Owner | None, writer: Writer) -> Item:
    """An archive is a way in, not an author: whoever brings it may write no more than by hand."""
    place = Place(agent, owner, item.path)
    if item.action == Action.SKIP:
        return item
    if refused := write_matrix.refusal(writer, place):
        return _left_out(item, WriteRefused.code, refused)
    enabled = item.file is not None and item.file.is_enabled
    if write_matrix.why_asked(writer, place, enabled=enabled) is None:
        return item
    if item.file is None:
        return _left_out(item, WriteRefused.code, write_matrix.made_anew(item.path))
    return replace(item, code="proposed", said=_PROPOSED)


def _joined(pair: Pair, content: str, sifter: Sifter) -> Item:
    added = addition(content, pair.incoming.data.decode())
    if not added:
        return _skipped(pair, "same", _ALL_HERE)
    data = added.encode()
    size = len(data) + (pair.file.size if pair.file else 0)
    if size > MAX_BYTES:
        return _skipped(pair, "content_refused", _TOO_LARGE)
    sifter.forget(pair.incoming.sources)
    sifter.look(pair.incoming.path, _last_lines(content).encode() + data)
    return _made(pair, Action.UPDATE, size, "joined", _JOINED)


def _last_lines(text: str) -> str:
    """Where a secret could begin that goes on in what is added."""
    return "\n".join(text[-_SEAM:].rsplit("\n", 3)[-3:])


def _skipped(pair: Pair, code: str, said: Promise) -> Item:
    size = pair.file.size if pair.file and pair.file.is_present else 0
    return _made(pair, Action.SKIP, size, code, said)


def _made(pair: Pair, action: Action, size: int, code: str = "", said: Promise | str = "") -> Item:
    file, incoming = pair.file, pair.incoming
    before = file.size if file and file.is_present else 0
    return Item(
        incoming.path,
        action,
        incoming.sources,
        before,
        size,
        code,
        said,
        file=file,
        incoming=incoming,
    )


def _wrong(data: bytes) -> Promise | None:
    """Why these bytes are no text of a workspace."""
    if b"\0" in data:
        return _NUL
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError:
        return _NO_TEXT
    return None


def _looked_at(
    items: Sequence[Item], suspects: Collection[str], team_id: UUID, owner_id: UUID | None
) -> dict[str, Item]:
    """Those that could hold a secret, as they are decided by what they hold. What may not be
    kept, and what was forgotten, is turned away here, before anything is written."""
    doubtful = [item for item in items if _is_doubtful(item, suspects)]
    refused = {item.path: _refused(item, line, kind) for item, line, kind in _credentials(doubtful)}
    left = [item for item in doubtful if item.path not in refused]
    texts = [(item.coming, item.before) for item in left]
    screened = screening.hold_each(team_id, texts, owner_id=owner_id)
    pairs = zip(left, screened, strict=True)
    return refused | {item.path: _held(item, outcome) for item, outcome in pairs if outcome.held}


def _is_doubtful(item: Item, suspects: Collection[str]) -> bool:
    """What several entries became may hold what none of them did."""
    if item.action == Action.SKIP:
        return False
    return len(item.sources) > 1 or not {item.path, *item.sources}.isdisjoint(suspects)


def _credentials(items: Sequence[Item]) -> Iterator[tuple[Item, int, str]]:
    """The first new one of each, with its line and kind."""
    for item in items:
        text, known = item.coming, item.before
        for secret in credentials.find(text):
            if text[secret.start : secret.end] not in known:
                yield item, text.count("\n", 0, secret.start) + 1, secret.kind
                break


def _refused(item: Item, line: int, kind: str) -> Item:
    told = gettext(
        "Line {line} holds what looks like a secret ({kind}). Take it out of the archive."
    )
    return _left_out(item, SecretRefused.code, told.format(line=line, kind=kind))


def _held(item: Item, screened: Screened) -> Item:
    if item.action == Action.UPDATE and screened.text == item.before:
        return _left_out(item, "same", _HELD_BACK)
    size = len(screened.text.encode())
    return replace(item, held=screened.held, shown=screened.text, size_after=size)


def _left_out(item: Item, code: str, said: Promise | str) -> Item:
    size = item.size_before
    return replace(item, action=Action.SKIP, code=code, said=said, size_after=size)
