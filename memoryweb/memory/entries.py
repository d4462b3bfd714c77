"""Named entries: texts that an agent finds again by number, name or another name, beside search.

The text is the file `entries/<name>.md`, so that all rules of files hold for it, through every
door. Only numbers and other names stand beside it. A name and the other names
of one memory never lead to two entries.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from django.utils.translation import gettext as _

from memoryweb.audit.record import target
from memoryweb.markdown.paths import entry_path, fold, stem_of
from memoryweb.memory.lines.files import find, is_number, next_number
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import Alias, Entry
from memoryweb.memory.models.entries import MOST_OF_NAME
from memoryweb.memory.models.refusals import MemoryRefused
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer
from memoryweb.memory.writing import matrix, screening, write
from memoryweb.memory.writing.write import NewLine

MOST_ALIASES = 20


class EntryRefused(MemoryRefused):
    """`name_refused`, `name_taken`, `empty`, `too_many_aliases`."""

    def __init__(self, code: str, sentence: str, field: str = "name") -> None:
        self.code, self.field = code, field
        super().__init__(sentence)


def name_of(entry: Entry) -> str:
    return stem_of(entry.file.path)


def add(
    tx: Transaction,
    memory: Memory,
    name: str,
    content: str,
    *,
    writer: Writer,
    aliases: Iterable[str] = (),
    kind: Entry.Kind = Entry.Kind.NOTE,
    origins: Mapping[int, Origin] | None = None,
) -> Entry:
    """A new entry, with a number that none had before; `origins` by line. Raises
    EntryRefused, and what `write.write` raises."""
    name = _free(memory, name)
    _check_content(content)
    place = memory.at(entry_path(name))
    known = write.find(place)
    write.write(tx, place, content, writer=writer, expected="", origins=origins)
    entry = Entry.objects.select_related("file").get(
        file__agent=memory.agent, file__owner=memory.owner, file__folded_path=fold(place.path)
    )
    entry.kind = kind
    if known is not None:  # a removed one had the name: this is another
        entry.number, entry.created_at = next_number(*memory.key), tx.now
    entry.save(update_fields=["kind", "number", "created_at"])
    for alias in aliases:
        add_alias(tx, entry, alias, writer=writer)
    return entry


def rewrite(tx: Transaction, entry: Entry, content: str, *, writer: Writer) -> None:
    """Raises EntryRefused, and what `write.write` raises."""
    _check_content(content)
    write.write(tx, _place(entry), content, writer=writer, expected=entry.file.sha256)


def rename(tx: Transaction, entry: Entry, name: str, *, writer: Writer) -> None:
    """One of its other names may become its name; the old one is free then. Raises EntryRefused,
    and what `write.rename` raises."""
    own = entry.aliases.filter(folded=fold(name.strip()))
    if not own.delete()[0] and fold(name.strip()) != fold(name_of(entry)):
        _free(_place(entry).memory, name)
    write.rename(tx, entry.file, entry_path(_checked(name)), writer=writer)


def add_alias(tx: Transaction, entry: Entry, name: str, *, writer: Writer) -> None:
    """Another name that leads to it. Raises EntryRefused, WriteRefused, SecretRefused."""
    matrix.check(writer, _place(entry))
    if fold(name.strip()) == fold(name_of(entry)) or _has(entry, name):
        return
    name = _free(_place(entry).memory, name)
    if entry.aliases.count() >= MOST_ALIASES:
        raise EntryRefused("too_many_aliases", _("An entry may have at most 20 other names."))
    Alias.objects.create(
        team_id=entry.team_id,
        agent_id=entry.agent_id,
        owner_id=entry.owner_id,
        entry=entry,
        name=name,
        folded=fold(name),
    )
    _record(tx, "entry.aliased", entry, name)


def remove_alias(tx: Transaction, entry: Entry, name: str, *, writer: Writer) -> bool:
    """Whether there was one."""
    matrix.check(writer, _place(entry))
    if not entry.aliases.filter(folded=fold(name)).delete()[0]:
        return False
    _record(tx, "entry.unaliased", entry, name)
    return True


def remove(tx: Transaction, entry: Entry, *, writer: Writer) -> None:
    """With its other names. Its text stays in the file's history, and can be restored."""
    write.delete(tx, entry.file, writer=writer)
    entry.aliases.all().delete()


def archive(
    tx: Transaction,
    memory: Memory,
    content: str,
    *,
    writer: Writer,
    origins: Mapping[int, Origin] | None = None,
) -> Entry:
    """What is left of an earlier part of a conversation, under a name of its moment."""
    stem = f"archive {tx.now:%Y-%m-%d %H.%M}"
    names = (stem if number == 1 else f"{stem} ({number})" for number in count(1))
    name = next(one for one in names if find(memory, one) is None)
    kind = Entry.Kind.ARCHIVE
    return add(tx, memory, name, content, writer=writer, kind=kind, origins=origins)


def append_history(
    tx: Transaction,
    memory: Memory,
    text: str,
    *,
    writer: Writer,
    origins: Iterable[Source] = (),
) -> None:
    """One paragraph at the end of the month's HISTORY file, under its time; of its second or third
    one, where that is full."""
    said = f"[{tx.now:%Y-%m-%d %H:%M}] {' '.join(text.split())}"
    place = _with_room(memory.at(f"HISTORY-{tx.now:%Y-%m}.md"), said)
    stands_on = Origin(tuple(origins))
    lines = [NewLine(""), NewLine(f"## {tx.now:%Y-%m-%dT%H:%M:%SZ}"), NewLine(said, stands_on)]
    write.append(tx, place, lines, writer=writer)


def _with_room(place: Place, said: str) -> Place:
    stem, room = place.path.removesuffix(".md"), write.MAX_BYTES - len(said.encode()) - 100
    for number in count(1):
        path = place.path if number == 1 else f"{stem}-{number}.md"
        file = write.find(replace(place, path=path))
        if file is None or file.size < room:
            return replace(place, path=path)
    raise AssertionError


def _place(entry: Entry) -> Place:
    return Memory(entry.agent, entry.owner).at(entry.file.path)


def _has(entry: Entry, name: str) -> bool:
    return entry.aliases.filter(folded=fold(name.strip())).exists()


def _free(memory: Memory, name: str) -> str:
    """The name as it will stand. The transaction's lock keeps it free."""
    name = _checked(name)
    if find(memory, name) is not None:
        raise EntryRefused(
            "name_taken",
            _("“{name}” already leads to an entry; choose another name.").format(name=name),
        )
    # An entry whose file was deleted or moved away keeps its other names until they are wanted.
    Alias.objects.filter(agent=memory.agent, owner=memory.owner, folded=fold(name)).delete()
    return name


def _checked(name: str) -> str:
    name = name.strip()
    if not name or len(name) > MOST_OF_NAME or len(fold(name)) > MOST_OF_NAME:
        raise EntryRefused("name_refused", _("A name has 1 to 200 characters."))
    if "/" in name or is_number(name) or not name.strip(".") or name.casefold().endswith(".md"):
        raise EntryRefused(
            "name_refused",
            _("A name has no “/” in it, doesn't end in “.md”, and isn't a number alone."),
        )
    screening.path(entry_path(name))
    return name


def _check_content(content: str) -> None:
    if not content.strip():
        raise EntryRefused("empty", _("An entry needs a text."), "content")


def _record(tx: Transaction, action: str, entry: Entry, name: str) -> None:
    where = target(entry.file)
    labels = {"path": entry.file.path, "alias": name}
    tx.record(action, **where, on_behalf_of=entry.owner_id, labels=labels)
