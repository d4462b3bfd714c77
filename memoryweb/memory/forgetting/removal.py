"""Taking what is to be forgotten out of a memory: its files by new revisions, its statements, and
what was said in place; and out of the files' past, where a mark stays.
"""

import hmac
import secrets
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from uuid import UUID

from django.apps import apps
from django.db.models import Q

from memoryweb.conversations.models import Message
from memoryweb.facts.models import Contradiction, Evidence, Fact
from memoryweb.forgetting import tombstones
from memoryweb.forgetting.models import Target
from memoryweb.forgetting.queries import MARK, Hidden, Span, lines_saying, of_targets, without_spans
from memoryweb.forgetting.wording import Sought, units
from memoryweb.language.tokens import tokens
from memoryweb.memory import write
from memoryweb.memory.forgetting.places import Memory
from memoryweb.memory.reverted_text import without_lines
from memoryweb.memory.transaction import Transaction
from memoryweb.provenance.writers import Place, Writer
from memoryweb.runs.lease import plan_anew
from memoryweb.search import indexing
from memoryweb.search.models import Passage, RecallEvent
from memoryweb.search.recalls import keyed_hash
from memoryweb.snapshots.models import Upload
from memoryweb.workspace.author_kinds import AuthorKind
from memoryweb.workspace.models import File, Revision

REASON = "Forgotten"
_LEAST_TOKENS = 3  # of a text whose very words are looked for


@dataclass(frozen=True)
class Going:
    """What goes of one memory, and the very words, by which the rest of it is found."""

    memory: Memory
    hidden: Hidden
    sought: Sought
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, memory: Memory, targets: Collection[Target], texts: Collection[str]) -> "Going":
        return cls(memory, of_targets(targets), Sought(texts))

    def sought_in(self, file: File) -> Sought:
        """The very words go in the memory's own files alone: in a file that others write, too, the
        lines that are meant go, and no word of anybody else's."""
        return self.sought if file.owner_id == self.memory.owner_id else Sought(())


def texts_of(targets: Collection[Target]) -> list[str]:
    """What the targets say now."""
    said = [row.fact.text for row in targets if row.fact]
    for row in targets:
        if row.message:
            said.append(row.message.content[row.first or 0 : row.last])
        if row.file and row.fingerprint:
            lines = row.file.content.split("\n")
            numbers = lines_saying(row.file.content, {row.fingerprint})
            said += [lines[number - 1] for number in numbers]
    return list(dict.fromkeys(part for text in said for part in units(text) if _is_own(part)))


def _is_own(text: str) -> bool:
    """A number or a name alone stands in much that is not meant."""
    return len(tokens(text)) >= _LEAST_TOKENS


def take_out(tx: Transaction, going: Going, files: Collection[UUID]) -> None:
    """Of the memory as it is now; runs that have read it begin anew, and lose their fence."""
    memory = going.memory
    touched = _files(going, files)
    reaches = {(memory.agent_id, memory.owner_id), *((f.agent_id, f.owner_id) for f in touched)}
    for agent_id, owner_id in reaches:
        plan_anew(agent_id, owner_id, tx.now)
        _forget_answers(agent_id, owner_id)
        Upload.objects.filter(agent=agent_id, owner=owner_id).delete()
    words = list(going.sought.texts)
    tombstones.bury(memory.team_id, memory.agent_id, memory.owner_id, words, tx.now)
    for file in touched:
        _take_out_of(tx, file, going)
    _take_facts(going)
    _take_said(going)
    hashes = [keyed_hash(text) for text in going.sought.texts]
    RecallEvent.objects.filter(
        Q(line_hash__in=hashes) | Q(query_hash__in=hashes), team=memory.team_id
    ).delete()


def take_out_of_past(file: File, going: Going) -> int:
    """All revisions of a file: the mark in the place of what went; how many were touched. What
    their hash was nobody can work out from a guess any more, as the key of the new one is gone."""
    rows = Revision.objects.filter(file=file).order_by("base", "number")
    prints = going.hidden.prints.get(file.pk, frozenset())
    sought = going.sought_in(file)
    touched = 0
    for _base, chain in groupby(rows, key=lambda row: row.base):
        key = secrets.token_bytes(32)
        whole, is_changed = "", False
        for row in chain:
            text = _marked(row.text, prints, sought)
            whole += text
            is_changed = is_changed or text != row.text
            reason = sought.without(row.reason)
            path = sought.renamed(row.path)
            if is_changed or (reason, path) != (row.reason, row.path):
                digest = hmac.new(key, whole.encode(), "sha256").hexdigest()
                row.text, row.reason, row.path = text, reason[:300], path
                row.sha256 = digest if is_changed else row.sha256
                row.save(update_fields=["text", "reason", "path", "sha256"])
                touched += 1
    return touched


def _marked(text: str, prints: Collection[str], sought: Sought) -> str:
    gone = lines_saying(text, prints) if prints else set()
    if not gone and not sought.is_in(text):
        return text
    lines = enumerate(text.split("\n"), 1)
    return "\n".join(_mark(line) if n in gone else sought.without(line) for n, line in lines)


def _mark(line: str) -> str:
    """A line that went keeps its bullet."""
    bullet = "- " if line.lstrip().startswith(("- ", "* ", "+ ")) else ""
    return f"{line[: len(line) - len(line.lstrip())]}{bullet}{MARK}"


def _files(going: Going, files: Collection[UUID]) -> list[File]:
    keys = {*files, *going.hidden.prints}
    rows = File.objects.filter(pk__in=keys, team=going.memory.team_id)
    return list(rows.select_related("agent", "owner").select_for_update(of=("self",)))


def _take_out_of(tx: Transaction, file: File, going: Going) -> None:
    sought = going.sought_in(file)
    renamed = sought.renamed(file.path)
    if renamed != file.path:
        folder = file.path.rpartition("/")[0]
        file.path = file.folded_path = "/".join(part for part in (folder, renamed) if part)
        if sought.is_in(file.path):
            file.path = file.folded_path = renamed
        file.save(update_fields=["path", "folded_path"])
        Fact.objects.filter(file=file).update(path=file.path)
    if file.deleted_at is not None:
        return
    gone = going.hidden.lines_of(file)
    content = sought.without(without_lines(file.content, gone))
    if content != file.content:
        place = Place(file.agent, file.owner, file.path)
        writer = Writer(AuthorKind.SYSTEM, run=tx.run)
        write.write(tx, place, content, writer=writer, reason=REASON)
        going.counts["files"] += 1
        going.counts["lines"] += len(gone) or 1


def _take_facts(going: Going) -> None:
    memory = going.memory
    near = Fact.objects.of(memory.agent_id, memory.owner_id).values_list("pk", "text", "value")
    same = {pk for pk, text, value in near if any(map(going.sought.is_in, (text, value)))}
    found = Fact.objects.filter(pk__in={*going.hidden.facts, *same}, team=memory.team_id)
    disputes = list(found.exclude(contradiction=None).values_list("contradiction", flat=True))
    going.counts["statements"] += found.count()
    found.delete()
    sides = Fact.objects.filter(contradiction__in=disputes)
    lonely = Contradiction.objects.filter(pk__in=disputes).exclude(
        pk__in=sides.filter(file__isnull=False).values("contradiction")
    )
    lonely.delete()


def _take_said(going: Going) -> None:
    messages = Message.objects.filter(pk__in=going.hidden.spans).select_related(
        "conversation__owner__integration", "conversation__agent"
    )
    for message in messages:
        spans = _merged(going.hidden.spans[message.pk], len(message.content))
        say(message, without_spans(message.content, spans) or MARK, spans)
        going.counts["messages"] += 1


def scrub_messages(going: Going, keys: Collection[int]) -> None:
    """The very words, wherever else they were said; also in names."""
    sought = going.sought
    for message in Message.objects.filter(pk__in=keys).select_related("conversation__owner"):
        if not any(map(sought.is_in, (message.content, message.name, message.external_id))):
            continue  # taken out already, by where it stood
        message.name = sought.without(message.name)[:120]
        message.external_id = sought.renamed(message.external_id)
        message.save(update_fields=["name", "external_id"])
        say(message, sought.without(message.content), sought.spans(message.content))
        going.counts["messages"] += 1


def say(message: Message, content: str, spans: Sequence[tuple[int, int]] = ()) -> None:
    """Its content in place of what it was; what others cite of it moves along."""
    message.content = content
    message.save(update_fields=["content"])
    Passage.objects.filter(message=message).delete()
    indexing.index_messages(message.conversation, [message])
    for row in Evidence.objects.filter(message=message, first__isnull=False):
        row.first, row.last = _moved(row.first, row.last, spans)
        row.save(update_fields=["first", "last"])


def _moved(
    first: int | None, last: int | None, spans: Sequence[tuple[int, int]]
) -> tuple[int | None, int | None]:
    """Where these characters are once the mark stands for each span; nowhere, if one was theirs."""
    if first is None or last is None or any(a < last and first < b for a, b in spans):
        return None, None
    by = sum(len(MARK) - (b - a) for a, b in spans if b <= first)
    return first + by, last + by


def _merged(spans: Sequence[Span], length: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in sorted((first, length if last is None else last) for first, last in spans):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def _forget_answers(agent_id: UUID, owner_id: UUID | None) -> None:
    """Answers that wait to be used: the windows are read again."""
    model = apps.get_model("extraction", "Extraction")
    waiting = model._default_manager.filter(status="answered", conversation__agent=agent_id)
    waiting = waiting if owner_id is None else waiting.filter(conversation__owner=owner_id)
    waiting.delete()
