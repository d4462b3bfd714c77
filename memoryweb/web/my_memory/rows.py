"""Sentences as rows of a page: what is kept, where it came from, when it was last used."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryweb.language.normal_form import clean
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.models import File, LineOrigin, Message
from memoryweb.memory.my_memory import Place, Sentence
from memoryweb.memory.statements.listing import standing_in
from memoryweb.web.display_names import author_name
from memoryweb.web.my_memory.forms import KIND_LABELS
from memoryweb.web.my_memory.viewers import Oneself

_QUOTED = 240
Row = dict[str, Any]


def groups(who: Oneself, found: Iterable[Row]) -> list[Row]:
    """Rows in their order, by file and heading."""
    return [
        _group(who, list(rows))
        for _file, rows in groupby(found, key=lambda row: row["sentence"].file)
    ]


def rows(who: Oneself, sentences: Iterable[Sentence], uses: Mapping[Place, datetime]) -> list[Row]:
    shown = list(sentences)
    facts = standing_in({one.file for one in shown}) if who.is_member else {}
    return [_row(who, one, uses) | _statement(who, one, facts) for one in shown]


def _statement(who: Oneself, one: Sentence, facts: Mapping[tuple[UUID, str], UUID]) -> Row:
    fact_id = facts.get((one.file.pk, fingerprint(clean(one.block.text))))
    where = (one.file.agent_id, fact_id)
    url = who.to("agents_fact", *where, query=_owner(who, one.file)) if fact_id else ""
    return {"fact_url": url}


def _group(who: Oneself, found: list[Row]) -> Row:
    file = found[0]["sentence"].file
    named = date_format(file.note_date, _("j F Y")) if file.note_date else ""
    return {
        "title": named or KIND_LABELS[kind_of(file.path).section],
        "file": file,
        "whose": _whose(who, file),
        "url": _file_url(who, file),
        "subjects": [
            {"title": title, "rows": list(rows)} for title, rows in groupby(found, key=_subject)
        ],
    }


def _subject(row: Row) -> str:
    """The headings above, without the one that only repeats the file's name."""
    trail = row["sentence"].block.trail
    name = row["sentence"].file.path.rpartition("/")[2].removesuffix(".md")
    is_title = bool(trail) and trail[0].casefold() == name.casefold()
    return " › ".join(trail[1:] if is_title else trail)


def anchor_of(file_id: UUID, line: int) -> str:
    return f"s{file_id.hex[:12]}-{line}"


def _row(who: Oneself, one: Sentence, uses: Mapping[Place, datetime]) -> Row:
    file, origins = one.file, one.origins
    written, place = origins.written, (file.agent_id, file.path, one.block.line)
    return {
        "sentence": one,
        "anchor": anchor_of(file.pk, one.block.line),
        "author": author_name(written) if written else "",
        "is_own": bool(who.user and written and written.user_id == who.user.pk),
        "run": written.run if written else None,
        "run_url": who.to("agents_run", written.run_id) if written and written.run_id else "",
        "said": tuple(_said(who, row.message) for row in origins.said if row.message),
        "notes": _notes(who, origins.notes),
        "last_used": uses.get(one.place),
        "file_url": _file_url(who, file, one.block.line),
        "why_url": who.to("agents_why", *place, query=_owner(who, file)) if written else "",
    }


def _whose(who: Oneself, file: File) -> str:
    """Which of one's accounts, where that is not plain."""
    if len(who.owners) < 2 or file.owner is None or file.owner.source == "user":
        return ""
    return file.owner.shown_as


def _said(who: Oneself, message: Message) -> Row:
    """A message that a sentence stands on. Without an address on a visit."""
    cut = message.content[:_QUOTED] + ("…" if len(message.content) > _QUOTED else "")
    talk = message.conversation
    at = f"?message={message.position}#m{message.position}"
    url = who.to("agents_conversation", talk.agent_id, talk.pk, query=at)
    name = message.name or str(message.get_role_display())
    return {"text": cut, "name": name, "at": message.timestamp, "url": url}


def _notes(who: Oneself, found: Iterable[LineOrigin]) -> list[Row]:
    shown = {}
    for row in found:
        if row.source_file and row.source_line:
            label = _("{path}, line {n}").format(path=row.source_file.path, n=row.source_line)
            url = _file_url(who, row.source_file, row.source_line)
            shown[label] = {"label": label, "url": url}
    return list(shown.values())


def _file_url(who: Oneself, file: File, line: int | None = None) -> str:
    """On a visit there is no page of a file: what it holds stands here, sentence by sentence."""
    query = _owner(who, file) + (f"#L{line}" if line else "")
    return who.to("agents_file", file.agent_id, file.path, query=query)


def _owner(who: Oneself, file: File) -> str:
    return "?owner=me" if file.owner_id == who.me.pk else f"?owner={file.owner_id}"
