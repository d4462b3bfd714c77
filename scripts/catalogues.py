"""The translations: `python -m scripts.catalogues` brings locale/ up to date with the sources.

What the sources no longer say leaves the .po files, what is new comes in untranslated, and the .mo
files, which are what runs, are compiled anew. Needs no gettext: a fresh machine may have none.
"""

import ast
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
PLURALS = {"de": "nplurals=2; plural=(n != 1);", "ja": "nplurals=1; plural=0;"}
FORMS = {"de": 2, "ja": 1}
_MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
_LITERAL = r"""u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_MARKED = re.compile(rf"(?:_|gettext)\(\s*{_LITERAL}(?:,\s*{_LITERAL})?")
_FIELD = re.compile(r'(msgid_plural|msgid|msgstr)(?:\[(\d)\])? (".*")$')


@dataclass
class Message:
    id: str
    plural: str = ""
    places: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    is_fuzzy: bool = False


def wanted() -> dict[str, Message]:
    """Every text that is marked in the sources, in their order."""
    found: dict[str, Message] = {}
    for path in _sources():
        place = path.relative_to(ROOT).as_posix()
        for one, plural in _marked(path):
            message = found.setdefault(one, Message(one))
            message.plural = message.plural or plural
            if place not in message.places:
                message.places.append(place)
    return found


def read(language: str) -> dict[str, Message]:
    """The catalogue as it is, without its head."""
    found: dict[str, Message] = {}
    for entry in po(language).read_text().split("\n\n"):
        said = Message("", is_fuzzy=bool(re.search("(?m)^#,.*fuzzy", entry)))
        for line in entry.split("\n"):
            if match := _FIELD.match(line):
                _take(said, match[1], ast.literal_eval(match[3]))
        if said.id:
            found[said.id] = said
    return found


def written(language: str, messages: dict[str, Message]) -> str:
    """The catalogue as it is kept: one line a text."""
    entries = [f'msgid ""\nmsgstr {_quoted(_head(language))}']
    for one in messages.values():
        lines = [f"#: {' '.join(one.places)}", f"msgid {_quoted(one.id)}"]
        if one.plural:
            lines.append(f"msgid_plural {_quoted(one.plural)}")
            said = one.said or [""] * FORMS[language]
            lines += [f"msgstr[{n}] {_quoted(text)}" for n, text in enumerate(said)]
        else:
            lines.append(f"msgstr {_quoted(one.said[0] if one.said else '')}")
        entries.append("\n".join(lines))
    return "\n\n".join(entries) + "\n"


def compiled(language: str, messages: dict[str, Message]) -> bytes:
    """The same as gettext reads it: two tables of lengths and places, then the texts."""
    texts = {"": _head(language)}
    for one in messages.values():
        if any(one.said):
            texts["\0".join(filter(None, [one.id, one.plural]))] = "\0".join(one.said)
    rows = sorted((key.encode(), value.encode()) for key, value in texts.items())
    start = 28 + 16 * len(rows)
    tables, body = b"", b""
    for column in (0, 1):
        for row in rows:
            tables += struct.pack("<2I", len(row[column]), start + len(body))
            body += row[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(rows), 28, 28 + 8 * len(rows), 0, start)
    return head + tables + body


def po(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def mo(language: str) -> Path:
    return po(language).with_suffix(".mo")


def _sources() -> list[Path]:
    templates = (path for path in (ROOT / "templates").rglob("*.*") if path.is_file())
    return sorted((*(ROOT / "memoryweb").rglob("*.py"), *templates))


def _marked(path: Path) -> Iterator[tuple[str, str]]:
    if path.suffix != ".py":
        for match in _MARKED.finditer(templatize(path.read_text(), origin=str(path))):
            yield ast.literal_eval(match[1]), ast.literal_eval(match[2] or "''")
        return
    source = path.read_text()
    for node in ast.walk(ast.parse(source)) if "gettext" in source else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            said = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
            if node.func.id in _MARKS and said and isinstance(said[0], str) and said[0]:
                is_counted = node.func.id.startswith("n") and len(said) > 1
                yield said[0], str(said[1]) if is_counted else ""


def _take(message: Message, name: str, text: str) -> None:
    if name == "msgid":
        message.id = text
    elif name == "msgid_plural":
        message.plural = text
    else:
        message.said.append(text)


def _head(language: str) -> str:
    return (
        f"Language: {language}\nMIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
        f"Plural-Forms: {PLURALS[language]}\n"
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def main() -> None:
    for language in PLURALS:
        there, messages = read(language) if po(language).exists() else {}, wanted()
        for one in messages.values():
            if one.id in there and there[one.id].plural == one.plural:
                one.said = there[one.id].said
        missing = sum(not all(one.said or [""]) for one in messages.values())
        po(language).parent.mkdir(parents=True, exist_ok=True)
        po(language).write_text(written(language, messages))
        mo(language).write_bytes(compiled(language, messages))
        print(f"{language}: {len(messages)} texts, {missing} of them untranslated")


if __name__ == "__main__":
    main()
