"""Anthropic's memory tool (`memory_20250818`): six commands over `/memories`, which is the acting
owner's workspace.

What they say is worded as in Anthropic's own client library, whatever the language: models were
trained on these sentences.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal

from pydantic import Field

from memoryweb.api.problems import Invalid, Problem
from memoryweb.api.schemas import Camel, Whole
from memoryweb.api.tool_calls import Call
from memoryweb.memory import tools
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.models.writer import Transaction, Writer
from memoryweb.memory.tools import Acting
from memoryweb.memory.visible.readable import To, readable_file
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import WriteResult

ROOT = "/memories"
_DEPTH = 2
_WIDTH = 6  # of a line number
_AROUND = 2  # lines shown before and after a change
_UNITS = "BKMG"
Begin = Callable[[], AbstractContextManager[Transaction]]


class MemoryCommand(Call):
    command: Literal["view", "create", "str_replace", "insert", "delete", "rename"]
    path: str | None = Field(None, description=f"In {ROOT}, such as {ROOT}/MEMORY.md.")
    view_range: list[Whole] | None = Field(
        None, alias="view_range", min_length=2, max_length=2, description="For view. -1: the end."
    )
    file_text: str | None = Field(None, alias="file_text", description="For create.")
    old_str: str | None = Field(None, alias="old_str", description="For str_replace.")
    new_str: str = Field("", alias="new_str", description="For str_replace.")
    insert_line: Whole | None = Field(None, alias="insert_line", description="For insert.")
    insert_text: str | None = Field(None, alias="insert_text", description="For insert.")
    old_path: str | None = Field(None, alias="old_path", description="For rename.")
    new_path: str | None = Field(None, alias="new_path", description="For rename.")


class CommandAnswer(Camel):
    """Answered as a text, not as JSON."""

    text: str


class CommandRefused(Problem):
    def __init__(self, sentence: str) -> None:
        super().__init__(400, "command_refused", sentence)


def run_command(
    acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer
) -> dict[str, Any]:
    """View, create, edit, delete and rename Markdown files under /memories, where what you remember
    is kept."""
    run, needed = _COMMANDS[asked.command]
    for name in needed:
        if getattr(asked, name) is None:
            raise Invalid(name, f"{name}: this command needs it.")
    return {"text": run(acting, asked, begin, writer)}


def _view(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    shown = _shown(asked.path)
    folder = _inside(shown)
    below: dict[str, int] = {}
    for file in tools.list_files(acting):  # of two with one name the owner's own comes first
        if file.path.startswith(folder):
            below.setdefault(file.path.removeprefix(folder), file.size)
    if below or not folder:
        return _listed(shown, below)
    try:
        _file, text = tools.read_file(acting, folder.removesuffix("/"))
    except FileMissing:
        raise _missing(shown) from None
    lines = text.split("\n")
    first, last = asked.view_range or (1, -1)
    first = max(1, first)
    part = lines[first - 1 : len(lines) if last == -1 else last]
    return f"Here's the content of {shown} with line numbers:\n" + _numbered(part, first)


def _listed(shown: str, below: dict[str, int]) -> str:
    """A folder two levels deep; one weighs what is in it."""
    sizes: dict[str, int] = {}
    for path, size in below.items():
        parts = path.split("/")
        for depth in range(1, min(len(parts), _DEPTH) + 1):
            is_folder = depth < len(parts)
            name = "/".join(parts[:depth]) + ("/" if is_folder else "")
            sizes[name] = sizes.get(name, 0) + size
    told = [f"{_size(sum(below.values()))}\t{shown}"]
    told += [f"{_size(size)}\t{shown}/{name}" for name, size in sorted(sizes.items())]
    head = f"Here're the files and directories up to 2 levels deep in {shown}"
    return f"{head}, excluding hidden items:\n" + "\n".join(told)


def _create(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    shown, path = _shown(asked.path), _path(asked.path)
    with begin() as tx:
        if _standing(acting, path) is not None:
            raise CommandRefused(f"File {shown} already exists")
        written = tools.write_file(tx, acting, path, asked.file_text or "", writer=writer)
    return _done(written, f"File created successfully at: {shown}")


def _str_replace(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    shown, old, at = _shown(asked.path), asked.old_str or "", 0

    def change(text: str) -> str:
        nonlocal at
        count = text.count(old) if old else 0
        if count == 0:
            said = f"old_str `{old}` did not appear verbatim in {shown}."
            raise CommandRefused(f"No replacement was performed, {said}")
        if count > 1:
            pieces = text.split(old)[:-1]
            ends = [old.join(pieces[: n + 1]).count("\n") + 1 for n in range(len(pieces))]
            lines = ", ".join(map(str, ends))
            raise CommandRefused(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{lines}. Please ensure it is unique"
            )
        at = text[: text.find(old)].count("\n")
        return text.replace(old, asked.new_str)

    written = _changed(acting, asked, change, begin, writer)
    first = max(0, at - _AROUND)
    part = readable_file(written.file, To.PROGRAM).text.split("\n")[first : at + _AROUND + 1]
    said = "The memory file has been edited. Here is the snippet showing the change"
    return _done(written, f"{said} (with line numbers):\n{_numbered(part, first + 1)}")


def _insert(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    at = asked.insert_line or 0

    def change(text: str) -> str:
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= at <= len(lines):
            raise CommandRefused(
                f"Invalid `insert_line` parameter: {at}. It should be within the range "
                f"[0, {len(lines)}]."
            )
        lines.insert(at, (asked.insert_text or "").rstrip("\n"))
        return "\n".join(lines) + "\n"

    written = _changed(acting, asked, change, begin, writer)
    return _done(written, f"The file {_shown(asked.path)} has been edited.")


def _delete(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    shown = _shown(asked.path)
    if shown == ROOT:
        raise CommandRefused(f"Cannot delete the {ROOT} directory itself")
    found = _own(acting, _path(asked.path))
    if not found:
        raise CommandRefused(f"The path {shown} does not exist")
    for file in found:
        write.check_deletion(file, writer=writer)
    for file in found:
        # Each by itself: whoever else writes needn't wait for all of them.
        with begin() as tx:
            write.delete(tx, file, writer=writer)
    return f"Successfully deleted {shown}"


def _rename(acting: Acting, asked: MemoryCommand, begin: Begin, writer: Writer) -> str:
    shown, wanted = _shown(asked.old_path), _shown(asked.new_path)
    if shown == ROOT:
        raise CommandRefused(f"Cannot rename the {ROOT} directory itself")
    old, new = _path(asked.old_path), _path(asked.new_path)
    if _own(acting, new):
        raise CommandRefused(f"The destination {wanted} already exists")
    found = _own(acting, old)
    if not found:
        raise CommandRefused(f"The path {shown} does not exist")
    names = [new + file.path.removeprefix(old) for file in found]
    for file, name in zip(found, names, strict=True):
        write.check_renaming(file, name, writer=writer)
    for file, name in zip(found, names, strict=True):
        with begin() as tx:
            write.rename(tx, file, name, writer=writer)
    return f"Successfully renamed {shown} to {wanted}"


_Command = Callable[[Acting, MemoryCommand, Begin, Writer], str]
_COMMANDS: dict[str, tuple[_Command, tuple[str, ...]]] = {
    "view": (_view, ("path",)),
    "create": (_create, ("path", "file_text")),
    "str_replace": (_str_replace, ("path", "old_str")),
    "insert": (_insert, ("path", "insert_line", "insert_text")),
    "delete": (_delete, ("path",)),
    "rename": (_rename, ("old_path", "new_path")),
}


def _changed(
    acting: Acting,
    asked: MemoryCommand,
    change: Callable[[str], str],
    begin: Begin,
    writer: Writer,
) -> WriteResult:
    try:
        with begin() as tx:
            return tools.change_file(tx, acting, _path(asked.path), change, writer=writer)
    except FileMissing:
        raise _missing(_shown(asked.path)) from None


def _own(acting: Acting, path: str) -> list[File]:
    """The file, or those of the folder, that a write of this owner reaches."""
    place = tools.place_of(acting, path)
    return [
        file
        for file in tools.list_files(acting)
        if (file.agent_id, file.owner_id) == place.memory.key
        and f"{file.path}/".startswith(f"{path}/")
    ]


def _standing(acting: Acting, path: str) -> File | None:
    return next((file for file in _own(acting, path) if file.path == path), None)


def _shown(path: str | None) -> str:
    """As models write it, without a slash at its end."""
    wanted = path or ""
    if not f"{wanted}/".startswith(f"{ROOT}/"):
        raise CommandRefused(f"Path must start with {ROOT}, got: {wanted}")
    return wanted.rstrip("/")


def _path(path: str | None) -> str:
    return _shown(path).removeprefix(ROOT).removeprefix("/")


def _inside(shown: str) -> str:
    """What the paths in that folder begin with; nothing for all."""
    path = _path(shown)
    return f"{path}/" if path else ""


def _done(written: WriteResult, said: str) -> str:
    if written.proposal:
        return "Not written yet: a person has to accept this change of a shared file first."
    if written.masked:
        said += "\nWhat looks like a password was masked."
    return said


def _missing(shown: str) -> CommandRefused:
    return CommandRefused(f"The path {shown} does not exist. Please provide a valid path.")


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _size(size: int) -> str:
    scale = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    amount = size / 1024**scale
    return (
        f"{amount:.0f}{_UNITS[scale]}" if amount == int(amount) else f"{amount:.1f}{_UNITS[scale]}"
    )
