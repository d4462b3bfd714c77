"""A proposal as pages show it: each line with what stands now, where it comes from, and a tick."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memoryweb.language.normal_form import normalise
from memoryweb.markdown.diff import Span
from memoryweb.memory import review
from memoryweb.memory.conversations import messages_with_talks
from memoryweb.memory.lines.files import files_by_id
from memoryweb.memory.lines.origins import Source
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.review import Item, Kind
from memoryweb.memory.visible.placeholders import for_people_all
from memoryweb.memory.writing.changes import Change, Picked, changes_of, print_of, spans_of
from memoryweb.web.access import TeamRequest, note_read
from memoryweb.web.htmx import to
from memoryweb.web.statements import Piece, changed_words
from memoryweb.web.trace import file_url
from memoryweb.web.wording import owner_query, talk_url

Shown = Mapping[str, tuple[str, str]]  # the two texts as people read them
_QUOTED = 240  # characters of a message
_BRIEF = 3  # lines of a proposal where it is one of many
_MARKS = {"add": ("+", _("Added")), "change": ("⇄", _("Changed")), "retire": ("−", _("Retired"))}


def proposal_shown(request: TeamRequest, item: Item, data: QueryDict | None) -> dict[str, Any]:
    """`data`: what the person sent, where it was refused."""
    proposal, file = item.row, item.row.file
    outcome = review.outcome(proposal) if item.is_waiting else None
    base = content_of(file, proposal.base_revision) if proposal.base_revision else ""
    before, after = (base, proposal.raw_content) if outcome is None else (file.raw_content, outcome)
    changes = changes_of(before, after)
    picked = _picked(data, changes) if data and "seen" in data else None
    token = proposal.token
    program = (token.integration or token.name) if token else ""
    return {
        "sections": _grouped(_rows(request, item, changes, picked)),
        "seen": print_of(before, after),
        "author": proposal.run.get_kind_display() if proposal.run else program,
        "file_url": file_url(request, file),
        "run_url": to(request, "agents_run", proposal.run_id) if proposal.run_id else "",
        "is_stale": item.is_waiting and outcome is None,
        "groups_have_lines": any(one.kind != "retire" for one in changes),
        "can_undo": _can_undo(item),
        "total": len(changes),
    }


def picked_of(item: Item, data: QueryDict) -> Picked | None:
    """None where the form had no lines."""
    outcome = review.outcome(item.row)
    if "seen" not in data or outcome is None:
        return None
    return _picked(data, changes_of(item.row.file.raw_content, outcome))


def _picked(data: QueryDict, changes: Sequence[Change]) -> Picked:
    """A line whose words were all taken away is not taken."""
    numbers = {int(one) for one in data.getlist("line") if one.isascii() and one.isdigit()}
    said = {one.number: data.get(f"words-{one.number}", one.new).strip() for one in changes}
    words = {one.number: said[one.number] for one in changes if said[one.number] != one.new}
    emptied = {one.number for one in changes if one.kind != "retire" and not said[one.number]}
    return Picked(frozenset(numbers - emptied), words, data.get("seen", ""))


def shown_of(request: TeamRequest, items: Iterable[Item]) -> Shown:
    """By the id of a proposal or a flagged line; asked in one statement, and once a page."""
    known = request.visit.shown
    of = {one.id: one.row for one in items if one.kind in {Kind.PROPOSAL, Kind.FLAG}}
    news = {key: row for key, row in of.items() if key not in known}
    known.update((key, _texts(row)) for key, row in news.items())
    meant = {key: row for key, row in news.items() if row.is_meant}
    texts = [(row.file, text) for row in meant.values() for text in _texts(row)]
    shown = for_people_all(texts) if texts else []
    known.update(zip(meant, zip(shown[::2], shown[1::2], strict=True), strict=True))
    return known


def _texts(row: Any) -> tuple[str, str]:
    """That of the file, and what is proposed in its place."""
    return row.file.raw_content, getattr(row, "raw_content", row.file.raw_content)


def in_brief(request: TeamRequest, items: Sequence[Item]) -> dict[str, dict[str, Any]]:
    """By id, those that are small enough to be accepted where they are listed: the first lines, and
    what the form says of all. Whose file has changed since is looked at on its own page."""
    fit = [one for one in items if one.row.base_revision == one.row.file.revision]
    found = {}
    for item in fit:
        before, after = _texts(item.row)
        if not (changes := changes_of(before, after)):
            continue
        read = _Read(_texts(item.row), shown_of(request, [item])[item.id])
        found[item.id] = {
            "lines": [_in_brief(one, read) for one in changes[:_BRIEF]],
            "more": max(0, len(changes) - _BRIEF),
            "numbers": [one.number for one in changes],
            "seen": print_of(before, after),
        }
    return found


def _in_brief(change: Change, read: "_Read") -> dict[str, Any]:
    old, new = (_plain(read.spans(one)) for one in (change.row.old, change.row.new))
    mark, label = _MARKS[change.kind]
    if change.kind == "change":
        return {
            "kind": change.kind,
            "mark": mark,
            "label": label,
            "pieces": changed_words(old, new),
        }
    piece = Piece(old, "old") if change.kind == "retire" else Piece(new)
    return {"kind": change.kind, "mark": mark, "label": label, "pieces": [piece]}


def _can_undo(item: Item) -> bool:
    proposal = item.row
    if proposal.state == "accepted":
        return bool(proposal.taken.get("after") == proposal.file.revision)
    return bool(proposal.state == "rejected")


def _rows(
    request: TeamRequest, item: Item, changes: Sequence[Change], picked: Picked | None
) -> list[dict[str, Any]]:
    behind, read = (
        _behind(item, changes),
        _Read(_texts(item.row), shown_of(request, [item])[item.id]),
    )
    heard = _Heard(request, [one for sources in behind.values() for one in sources[1]])
    left = item.row.taken.get("left_out", []), item.row.taken.get("kept", [])
    return [
        {
            "number": one.number,
            "heading": one.heading,
            "kind": one.kind,
            "old": read.spans(one.row.old),
            "new": read.spans(one.row.new),
            "can_edit": one.kind != "retire" and not read.is_hidden(one.row.new),
            "words": picked.edits.get(one.number, one.new) if picked else one.new,
            "is_edited": bool(picked and one.number in picked.edits),
            "is_ticked": not picked or one.number in picked.numbers,
            "was_taken": one.row.new_number not in left[0] and one.row.old_number not in left[1],
            "why": behind[one.number][0],
            "heard": heard.of(behind[one.number][1]),
        }
        for one in changes
    ]


def _grouped(rows: Iterable[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["heading"], []).append(row)
    return list(groups.items())


def _behind(item: Item, changes: Sequence[Change]) -> Mapping[int, tuple[str, list[Source]]]:
    """Why a line goes, and what it stands on: told by the dream, else by the line's own origins."""
    proposal, told = item.row, {}
    run = proposal.run
    if run is not None and getattr(run, "report", None) and any(c.row.old for c in changes):
        for one in run.report.operations.all():
            for text in (one.after, *one.before):
                told[normalise(text)] = one
    origins = review.origins_of(proposal)
    lines = proposal.raw_content.split("\n")
    placed = {lines[n - 1]: one for n, one in origins.items() if n <= len(lines)}
    found = {}
    for change in changes:
        old, new = (_plain(change.row.old), _plain(change.row.new))
        operation = told.get(normalise(new or old))
        sources = list(placed[new].sources) if new in placed else []
        if operation and not sources:
            sources = [_source(one) for one in operation.sources]
        found[change.number] = (operation.reason if operation and old else "", sources)
    return found


def _plain(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def _source(packed: Mapping[str, Any]) -> Source:
    return Source(UUID(packed["file"]), packed["revision"], packed["line"])


class _Read:
    """Lines as people read them: without what is to be forgotten."""

    def __init__(self, true: Iterable[str], shown: Iterable[str]) -> None:
        pairs = zip("\n".join(true).split("\n"), "\n".join(shown).split("\n"), strict=True)
        self._hidden = {line: other for line, other in pairs if line != other}

    def is_hidden(self, spans: Sequence[Span]) -> bool:
        return _plain(spans) in self._hidden

    def spans(self, spans: Sequence[Span]) -> list[Span]:
        if self.is_hidden(spans):
            return [Span(self._hidden[_plain(spans)], marked=False)]
        return spans_of(spans)


class _Heard:
    """What people said, as far as this reader may see it: messages, else the lines of notes."""

    def __init__(self, request: TeamRequest, sources: Collection[Source]) -> None:
        self._request = request
        ids = {one.message_id for one in sources if one.message_id}
        self._messages = messages_with_talks(ids)
        files = {str(one.file_id) for one in sources if one.file_id and not one.message_id}
        self._files = files_by_id(files)

    def of(self, sources: Iterable[Source]) -> list[dict[str, Any]]:
        messages = dict.fromkeys(one.message_id for one in sources if one.message_id)
        said = [self._message(key) for key in messages if key]
        if not said:
            said = [self._line(one) for one in sources if one.file_id]
        return [one for one in said if one][:2]

    def _message(self, key: int) -> dict[str, Any] | None:
        message = self._messages.get(key)
        visit = self._request.visit
        if message is None or not visit.reads(message.conversation.owner_id):
            return None
        talk = message.conversation
        note_read(self._request, talk.owner, "conversation", talk.pk)
        who = message.name or str(message.get_role_display())
        return {
            "text": Truncator(message.raw_content).chars(_QUOTED),
            "who": who,
            "at": message.timestamp,
            "url": talk_url(self._request, talk, message.position),
            "label": talk.external_id,
        }

    def _line(self, source: Source) -> dict[str, Any] | None:
        file = self._files.get(str(source.file_id))
        visit = self._request.visit
        if file is None or not visit.reads(file.owner_id):
            return None
        query = owner_query(visit, file.owner_id)
        url = to(self._request, "agents_file", file.agent_id, file.path, query=query)
        return {"label": f"{file.path}:{source.line}", "url": f"{url}#L{source.line}"}
