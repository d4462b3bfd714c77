"""Formats of other programs, and the table of all, in which a new one is a row."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.memory.models.refusals import ArchiveRefused
from memoryweb.memory.snapshots.chat_exports import (
    CHATGPT,
    CLAUDE_AI,
    is_chatgpt,
    is_claude_ai,
    of_chatgpt,
    of_claude_ai,
)
from memoryweb.memory.snapshots.contents import (
    LITTER,
    Contents,
    IgnoredEntry,
    Incoming,
    as_file,
    bullets,
    is_workspace,
    not_taken,
    refusal,
    sort_out,
    top_of,
)
from memoryweb.memory.snapshots.reading import Entry
from memoryweb.memory.snapshots.uploaded import UploadBytes, document

# Claude Code's folder `~/.claude`, or a project's: what it remembers, and what it was told.

CLAUDE_CODE = "claude_code"
FOLDER = "claude-code"
_PROJECT = re.compile(r"(?:.*/)?projects/([^/]+)/memory/(.+\.md)")
_TOLD = re.compile(r"(?:.*/)?(?:CLAUDE|CLAUDE\.local|AGENTS)\.md")
_ITS_OWN = re.compile(r"(?:.*/)?CLAUDE(?:\.local)?\.md")


def is_claude_code(sent: UploadBytes) -> bool:
    """AGENTS.md alone is in every workspace."""
    return any(_ITS_OWN.fullmatch(name) or _PROJECT.fullmatch(name) for name in sent.names)


def of_claude_code(sent: UploadBytes) -> Contents:
    wanted = {name: path for name in sent.names if (path := _path(name))}
    entries = sent.archive.entries(wanted.__contains__)
    said = _("What Claude Code remembers, CLAUDE.md and AGENTS.md are taken, nothing else.")
    ignored = [
        IgnoredEntry(name, "not_in_import", said) for name in sent.names if name not in wanted
    ]
    files: dict[str, Incoming] = {}
    for entry, path in ((entry, wanted[entry.name]) for entry in entries):
        if refused := refusal(path):
            ignored.append(IgnoredEntry(entry.name, "path_refused", refused))
        else:
            files[path] = _together(files.get(path), entry, path)
    return Contents(
        tuple(files[path] for path in sorted(files)), tuple(ignored), format=CLAUDE_CODE
    )


def _path(name: str) -> str:
    """MEMORY.md of any project is memory; all else keeps its place in a folder of its own."""
    if name.startswith(LITTER):
        return ""
    if match := _PROJECT.fullmatch(name):
        return "MEMORY.md" if match[2] == "MEMORY.md" else f"{FOLDER}/{match[1]}/{match[2]}"
    return f"{FOLDER}/{name.removeprefix('.claude/')}" if _TOLD.fullmatch(name) else ""


def _together(before: Incoming | None, entry: Entry, path: str) -> Incoming:
    if before is None:
        return Incoming(path, entry.data, (entry.name,), joins=path == "MEMORY.md")
    data = before.data.rstrip(b"\n") + b"\n" + entry.data.lstrip(b"\n")
    return Incoming(path, data, (*before.sources, entry.name), joins=before.joins)


# What mem0 exports: a list of memories, or an object that holds one as `results` or `memories`.

MEM0 = "mem0"
MEM0_PATH = "structured/mem0.md"
_MEM0_TEXTS = ("memory", "text")


def is_mem0(sent: UploadBytes) -> bool:
    return bool(_memories(_document(sent)))


def of_mem0(sent: UploadBytes) -> Contents:
    """Raises ArchiveRefused: memories of several people would become one person's."""
    memories = _memories(_document(sent))
    people = {str(one["user_id"]) for one in memories if one.get("user_id") is not None}
    if len(people) > 1:
        said = _("The export holds memories of {n} users. Export and import each by itself.")
        raise ArchiveRefused("several_people", said.format(n=len(people)))
    lines, left_out = bullets(next(one[t] for t in _MEM0_TEXTS if t in one) for one in memories)
    files = [Incoming(MEM0_PATH, as_file(lines), (MEM0,), joins=True)] if lines else []
    return Contents(tuple(files), not_taken(MEM0, left_out), format=MEM0)


def _document(sent: UploadBytes) -> object:
    if sent.is_json:
        return sent.document
    if len(sent.names) == 1 and sent.names[0].endswith(".json"):
        return document(sent.whole(sent.names[0]))
    return None


def _memories(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = value.get("results", value.get("memories"))
    rows = value if isinstance(value, list) else []
    return [one for one in rows if isinstance(one, Mapping) and any(t in one for t in _MEM0_TEXTS)]


# A folder of Markdown: Obsidian's vault, or any other. Notes of basic-memory have a front matter
# with `type` and `permalink`; of them each observation, `- [kind] what`, becomes a statement, and
# what relates them, `- kind [[note]]`, stays a line.

MARKDOWN = "markdown"
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n((?:.*\n)*?)---[ \t]*(?:\r?\n|\Z)")
_FIELD = re.compile(r"^(title|type|permalink)[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_HIDDEN = re.compile(r"(?:^|/)\.")
_OBSERVATION = re.compile(r"^([-*] )\[[^\W\d_][^\]\[()\n]+\][ \t]+", re.MULTILINE)
_RELATION = re.compile(
    r"^[-*] (?=[^\n\[]*\[\[[^\]\n]+\]\][ \t]*(?:\([^\n]*\)[ \t]*)?$)", re.MULTILINE
)


def is_markdown(sent: UploadBytes) -> bool:
    return any(map(_is_note, sent.names)) and not is_workspace(sent.names)


def of_markdown(sent: UploadBytes) -> Contents:
    names = [name for name in sent.names if _is_note(name)]
    top, entries = top_of(names), sent.archive.entries(set(names).__contains__)
    said = _("Only Markdown files are read, and none of a hidden folder.")
    ignored = [IgnoredEntry(one, "not_in_import", said) for one in sent.names if one not in names]
    files = []
    for entry in entries:
        one = _note(entry, unicodedata.normalize("NFC", entry.name.removeprefix(top)))
        if refused := refusal(one.path):
            ignored.append(IgnoredEntry(entry.name, "path_refused", refused))
        else:
            files.append(one)
    return Contents(tuple(files), tuple(ignored), format=MARKDOWN)


def _is_note(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(LITTER) and not _HIDDEN.search(name)


def _note(entry: Entry, name: str) -> Incoming:
    """Word for word, but for basic-memory's own signs."""
    text = entry.data.decode("utf-8", "replace")
    front = _FRONT_MATTER.match(text)
    fields = dict(_FIELD.findall(front[1])) if front else {}
    if front is None or not {"type", "permalink"} <= fields.keys():
        return Incoming(f"notes/{name}", entry.data, (entry.name,))
    body = _RELATION.sub("", _OBSERVATION.sub(r"\1", text[front.end() :])).lstrip("\r\n")
    title = fields.get("title", "").strip("'\"")
    if title and not body.startswith("# "):
        body = f"# {title}\n\n{body}"
    return Incoming(f"structured/basic-memory/{name}", body.encode(), (entry.name,))


@dataclass(frozen=True)
class Format:
    key: str
    label: str | Promise
    finds: Callable[[UploadBytes], bool]
    contents: Callable[[UploadBytes], Contents]
    has_talks: bool = False


def _workspace(sent: UploadBytes) -> Contents:
    return sort_out(sent.archive.entries())


FORMATS = (
    Format(CLAUDE_AI, "Claude.ai", is_claude_ai, of_claude_ai, has_talks=True),
    Format(CHATGPT, "ChatGPT", is_chatgpt, of_chatgpt, has_talks=True),
    Format(MEM0, "mem0", is_mem0, of_mem0),
    Format(CLAUDE_CODE, "Claude Code", is_claude_code, of_claude_code),
    Format(MARKDOWN, gettext_lazy("Markdown notes, or basic-memory"), is_markdown, of_markdown),
    Format(
        "snapshot",
        gettext_lazy("A snapshot, or an OpenClaw workspace"),
        lambda sent: not sent.is_json,
        _workspace,
    ),
)
LABELS = {one.key: one.label for one in FORMATS}


def read(raw: bytes) -> Contents:
    """What a file would bring. Raises ArchiveRefused."""
    sent = UploadBytes(raw)
    return _found(sent).contents(sent)


def has_talks(raw: bytes) -> bool:
    """Conversations come with it. Raises ArchiveRefused."""
    return _found(UploadBytes(raw)).has_talks


def _found(sent: UploadBytes) -> Format:
    for one in FORMATS:
        if one.finds(sent):
            return one
    known = ", ".join(str(one.label) for one in FORMATS)
    raise ArchiveRefused(
        "unknown_format",
        _("This file is in no known format. Known are: {names}.").format(names=known),
    )
