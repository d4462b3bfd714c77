"""A proposal as pages show it: each line with what stands now, where it comes from, and a tick."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memoryweb.memory.conversations import messages_with_talks
from memoryweb.memory.lines.files import files_by_id
from memoryweb.memory.lines.origins import Source
from memoryweb.memory.review import Item, Kind, ProposalLines, ProposedLine
from memoryweb.memory.visible.readable import Look, To
from memoryweb.memory.writing.changes import Pick, plain
from memoryweb.web.access import TeamRequest, note_read
from memoryweb.web.pages import to
from memoryweb.web.statements import Piece, changed_words
from memoryweb.web.wording import file_url, talk_url

_QUOTED = 240  # characters of a message
_BRIEF = 3  # lines of a proposal where it is one of many
_MARKS = {"add": ("+", _("Learned")), "change": ("⇄", _("Changed")), "retire": ("−", _("Ended"))}


def proposal_shown(request: TeamRequest, item: Item, data: QueryDict | None) -> dict[str, Any]:
    """`data`: what the person sent, where it was refused."""
    proposal = item.row
    proposed = ProposalLines(proposal, look_at(request, [item])[item.id])
    picked = picked_of(data) if data else None
    program = (proposal.token.integration or proposal.token.name) if proposal.token else ""
    return {
        "sections": _grouped(_rows(request, proposed, picked)),
        "seen": proposed.seen,
        "author": item.agent.name if proposal.run else program,
        "file_url": file_url(request, proposal.file),
        "run_url": to(request, "agents_run", proposal.run_id) if proposal.run_id else "",
        "is_stale": item.is_waiting and not proposed.fits,
        "groups_have_lines": any(line.kind != "retire" for line in proposed.lines),
        "can_undo": _can_undo(proposal),
        "total": len(proposed.lines),
    }


def picked_of(data: QueryDict) -> Pick | None:
    """None where the form had no lines. One whose words were all taken away is not taken."""
    if "seen" not in data:
        return None
    numbers = {int(one) for one in data.getlist("line") if one.isascii() and one.isdigit()}
    keys = (name.removeprefix("words-") for name in data if name.startswith("words-"))
    words = {
        int(key): str(data[f"words-{key}"]).strip()
        for key in keys
        if key.isascii() and key.isdigit()
    }
    emptied = {number for number, text in words.items() if not text}
    return Pick(frozenset(numbers - emptied), words, str(data["seen"]))


def look_at(request: TeamRequest, items: Iterable[Item]) -> Mapping[str, Look]:
    """By the id of a proposal or a flagged line what its texts are read through: one a page."""
    known = request.visit.looks
    of = {one.id: one.row for one in items if one.kind in {Kind.PROPOSAL, Kind.FLAG}}
    news = {key: row.file for key, row in of.items() if key not in known}
    known.update(dict.fromkeys(news, Look(To.PAGE, files=news.values())))
    return known


def in_brief(request: TeamRequest, items: Sequence[Item]) -> dict[str, dict[str, Any]]:
    """By id, those that are small enough to be accepted where they are listed: the first lines, and
    what the form says of all. Whose file has changed since is looked at on its own page."""
    fit = [one for one in items if one.row.base_revision == one.row.file.revision]
    looks, found = look_at(request, fit), {}
    for item in fit:
        proposed = ProposalLines(item.row, looks[item.id])
        if lines := proposed.lines:
            found[item.id] = {
                "lines": [_in_brief(one) for one in lines[:_BRIEF]],
                "more": max(0, len(lines) - _BRIEF),
                "numbers": [one.number for one in lines],
                "seen": proposed.seen,
            }
    return found


def _in_brief(line: ProposedLine) -> dict[str, Any]:
    old, new = plain(line.old), plain(line.new)
    mark, label = _MARKS[line.kind]
    pieces: Sequence[Piece] = [Piece(old, "old") if line.kind == "retire" else Piece(new)]
    if line.kind == "change":
        pieces = changed_words(old, new)
    return {"kind": line.kind, "mark": mark, "label": label, "pieces": pieces}


def _can_undo(proposal: Any) -> bool:
    if proposal.state == "accepted":
        return bool(proposal.taken.get("after") == proposal.file.revision)
    return bool(proposal.state == "rejected")


def _rows(
    request: TeamRequest, proposed: ProposalLines, picked: Pick | None
) -> list[dict[str, Any]]:
    behind = proposed.behind()
    heard = _Quotes(request, [one for _why, sources in behind.values() for one in sources])
    edits = picked.edits if picked else {}
    return [
        {
            "line": line,
            "words": edits.get(line.number, line.words),
            "is_edited": edits.get(line.number, line.words) != line.words,
            "is_ticked": not picked or line.number in picked.numbers,
            "why": behind[line.number][0],
            "heard": heard.of(behind[line.number][1]),
        }
        for line in proposed.lines
    ]


def _grouped(rows: Iterable[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["line"].heading, []).append(row)
    return list(groups.items())


class _Quotes:
    """What people said, as far as this reader may see it: messages, else the lines of notes."""

    def __init__(self, request: TeamRequest, sources: Collection[Source]) -> None:
        self._request = request
        ids = {one.message_id for one in sources if one.message_id}
        self._messages = messages_with_talks(ids)
        self._look = Look(To.PAGE, messages=self._messages.values())
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
            "text": Truncator(self._look.message(message).shown).chars(_QUOTED),
            "who": who,
            "at": message.timestamp,
            "url": talk_url(self._request, talk, message.position),
            "label": talk.external_id,
        }

    def _line(self, source: Source) -> dict[str, Any] | None:
        file = self._files.get(str(source.file_id))
        if file is None or not self._request.visit.reads(file.owner_id):
            return None
        url = file_url(self._request, file, source.line)
        return {"label": f"{file.path}:{source.line}", "url": url}
