"""Changes of a Markdown text by its sections and `key: value` items, found by a parser. Pure.

All other lines stay as they are, byte for byte. What looks like a heading or an item within a
code block or a quote is none.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from memoryweb.markdown.blocks import ready
from memoryweb.markdown.paths import SectionRefused

_PARSER = ready(MarkdownIt("commonmark").disable("inline"))  # only blocks matter here
_LEVEL = re.compile(r"(#{1,6})\s+(.*)")
_QUOTES = {"blockquote_open": 1, "blockquote_close": -1}
_MARKS = re.compile(r"[*_`]")
_TASK = re.compile(r"^\[[ xX]\][ \t]")
# `**key**: value`, `**key：**value`, `key: value`; behind a colon of ASCII stands a space or CJK.
_KEYED = re.compile(
    r"(?P<opens>\*\*|__|`)?(?P<key>[^\n:：*`]+?)(?P<closes>\*\*|__|`)?\s{0,2}[:：](?P<after>\*\*|__)?"
    r"(?:(?<=：)|(?<=：..)|(?=[\s\u2e80-\uffff])|$)[ \t]?"
)


@dataclass(frozen=True)
class Heading:
    """`line` is the index of its first line, `end` the one after its last (two for setext)."""

    text: str
    level: int
    line: int
    end: int


@dataclass(frozen=True)
class _Item:
    """A list item that says `key: value`, up to where its value begins, with the space there is;
    the value ends before line index `end`."""

    label: str
    line: int
    end: int

    def saying(self, value: str) -> str:
        return f"{self.label}{value}".rstrip()


def headings(text: str) -> list[Heading]:
    """Those of the document itself, in order."""
    tokens = _PARSER.parse(text)
    return [
        Heading(inline.content, int(token.tag[1:]), token.map[0], token.map[1])
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def appended(text: str, content: str) -> str:
    """With the content at the end, after a blank line; a list's next items join the list."""
    end = _newline(text)
    body = content.strip("\r\n").replace("\r\n", "\n").replace("\n", end)
    if not text.strip():
        return f"{body}{end}"
    joins = _is_item(body) and _is_item(text.rstrip().rsplit("\n", 1)[-1])
    return text.rstrip("\r\n") + (end if joins else end * 2) + f"{body}{end}"


def with_section(text: str, heading: str, content: str) -> str:
    """With that text under the heading; its subsections stay. A new heading comes at the end.

    Raises SectionRefused when several headings are called so (`## Plans` names the level, too),
    or when what follows would become part of the new text.
    """
    there = headings(text)
    found = _heading(there, heading)
    if found is None:
        level, name = _named(heading)
        return appended(text, f"{'#' * (level or 2)} {name}\n\n{content.strip(chr(10))}")
    lines = text.split("\n")
    end = _body_end(there, found, len(lines))
    said = content.strip("\r\n").replace("\r\n", "\n")
    body = ["", *said.split("\n"), ""] if content.strip() else [""]
    stop = _newline(text).removesuffix("\n")
    new = [f"{line}{stop}" for line in body]
    if end == len(lines):
        new[-1] = ""  # stands behind the last line's end
    made = "\n".join([*lines[: found.end], *new, *lines[end:]])
    below = [one.text for one in there if one.line >= end]
    now = [one.text for one in headings(made)]
    if now[max(0, len(now) - len(below)) :] != below:
        raise SectionRefused(
            _("A code block or comment in this text is not closed; close it, and write again.")
        )
    return made


def with_value(text: str, key: str, value: str, heading: str = "") -> str:
    """With `- **key**: value`, in place of the item of that key where there is one.

    Raises SectionRefused when several items, or headings, are called so.
    """
    said = " ".join(value.split())
    there = headings(text) if heading else []
    section = _heading(there, heading) if heading else None
    if heading and section is None:
        return with_section(text, heading, f"- **{key}**: {said}")
    lines = text.split("\n")
    first = section.end if section else 0
    last = _body_end(there, section, len(lines)) if section else len(lines)
    items = [item for item in _items(text, key) if first <= item.line < last]
    if len(items) > 1:
        raise SectionRefused(
            _("“{key}” stands there {count} times; name the heading, or edit the text.").format(
                key=key, count=len(items)
            )
        )
    stop = _newline(text).removesuffix("\n")
    if items:
        made = items[0].saying(said) + stop
        return "\n".join([*lines[: items[0].line], made, *lines[items[0].end :]])
    return _with_item(lines, first, last, f"- **{key}**: {said}{stop}", stop)


def with_bullet(text: str, heading: str, bullet: str) -> str:
    """With the bullet as the last one under that heading, which comes at the end where there is
    none; without a heading under the text's title."""
    there, lines = headings(text), text.split("\n")
    found = [one for one in there if _plain(one.text) == _plain(heading)]
    if heading and not found:
        return appended(text, f"## {heading}\n\n{bullet}")
    titles = [one for one in there[:1] if one.level == 1 and not heading]
    section = next(iter([*found, *titles]), None)
    last = _body_end(there, section, len(lines)) if section else _first_of(there, len(lines))
    stop = _newline(text).removesuffix("\n")
    return _with_item(lines, section.end if section else 0, last, f"{bullet}{stop}", stop)


def without_lines(text: str, numbers: Collection[int]) -> list[str]:
    """Its other lines; two gaps that would meet become one."""
    lines = [line for at, line in enumerate(text.split("\n"), 1) if at not in numbers]
    at = min(numbers) - 1
    if 0 < at < len(lines) and not lines[at - 1].strip() and not lines[at].strip():
        del lines[at]
    return lines


def has_value(text: str, key: str, value: str) -> bool:
    said = " ".join(value.split())
    lines = text.split("\n")
    return any(lines[item.line].rstrip() == item.saying(said) for item in _items(text, key))


def _heading(there: Sequence[Heading], wanted: str) -> Heading | None:
    level, name = _named(wanted)
    found = [one for one in there if _plain(one.text) == _plain(name) and level in {0, one.level}]
    if len(found) > 1:
        raise SectionRefused(
            _("{count} headings are called “{name}”; name one that stands there once.").format(
                count=len(found), name=name
            )
        )
    return found[0] if found else None


def _named(heading: str) -> tuple[int, str]:
    """`## Plans` → (2, "Plans"); (0, …) where no level is named."""
    match = _LEVEL.fullmatch(heading.strip())
    return (len(match[1]), match[2].strip()) if match else (0, heading.strip())


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", _MARKS.sub("", text)).casefold().split())


def _body_end(there: Sequence[Heading], heading: Heading, last: int) -> int:
    """The index of the next heading's line, of whichever level."""
    return next((one.line for one in there if one.line > heading.line), last)


def _first_of(there: Sequence[Heading], last: int) -> int:
    return there[0].line if there else last


def _items(text: str, key: str) -> list[_Item]:
    tokens, lines = _PARSER.parse(text), text.split("\n")
    found, quotes = [], 0
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        quotes += _QUOTES.get(item.type, 0)
        if (item.type, paragraph.type) != ("list_item_open", "paragraph_open") or not inline.map:
            continue
        if quotes:
            continue
        line = lines[inline.map[0]]
        said = _TASK.sub("", inline.content.split("\n")[0])
        label = _label(said, key)
        if label:
            at = line.find(label.rstrip())
            found.append(_Item(line[:at] + label, inline.map[0], inline.map[1]))
    return found


def _label(said: str, key: str) -> str:
    """How the item writes the key, up to where its value begins; empty where it is another's."""
    match = _KEYED.match(said)
    if match is None or _plain(match["key"]) != _plain(key):
        return ""
    if (match["opens"] or "") != (match["closes"] or match["after"] or ""):
        return ""
    label = match[0]
    return label if label[-1].isspace() or "：" in label[-3:] else f"{label} "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _with_item(lines: Sequence[str], first: int, last: int, item: str, stop: str) -> str:
    """The item after the last line that says something between those two."""
    said = [number for number in range(first, last) if lines[number].strip()]
    at = said[-1] + 1 if said else first
    before, after = list(lines[:at]), list(lines[at:])
    if at and not (said and _is_item(lines[at - 1])):
        before.append(stop)
    if not any(line.strip() for line in after):
        after = [""]
    elif after[0].strip():
        after.insert(0, stop)
    made = "\n".join([*before, item, *after])
    return made.lstrip("\n") if not at else made


def _is_item(line: str) -> bool:
    return line.lstrip().startswith(("- ", "* ", "+ "))
