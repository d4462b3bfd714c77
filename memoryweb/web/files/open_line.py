"""The line of a file's page that stands open to be edited."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryweb.markdown.line_edits import words_of
from memoryweb.memory.models import File
from memoryweb.web.access import TeamRequest, Workspace
from memoryweb.web.files.forms import LineForm
from memoryweb.web.files.lines import Shown
from memoryweb.web.parameters import number_of


@dataclass(frozen=True)
class Editing:
    """`at`: the first line of the block in whose place the form stands, 0 above all of them.
    `theirs`: what somebody else made of it meanwhile; `is_gone`: they took it away."""

    form: LineForm
    at: int = 0
    theirs: str | None = None
    is_gone: bool = False

    @property
    def is_single(self) -> bool:
        """Enter alone saves it."""
        return "\n" not in (self.form["text"].value() or "")

    def among(self, lines: Sequence[Shown]) -> "Editing":
        """At its block of the text as it is now, or at the one that comes next."""
        first = str(self.form["first"].value())
        number = int(first) if first.isdigit() else 0
        starts = [one.block.start for one in lines if one.block.end >= number]
        return replace(self, at=starts[0] if starts else 0)


def asked(
    request: TeamRequest, workspace: Workspace, file: File, text: str, lines: Sequence[Shown]
) -> Editing | None:
    """The line that the address asks to edit, where this person may."""
    number = number_of(request, "edit", 0)
    found = next((one for one in lines if number in one.block.lines), None)
    if found is None or not (workspace.can_write and found.can_be_edited):
        return None
    first, last = found.block.start, _last(text, found)
    said = {"first": first, "last": last, "sha256": file.sha256}
    return Editing(LineForm(initial=said | {"text": words_of(text, first, last)}), first)


def _last(text: str, shown: Shown) -> int:
    """The last line of a block that says something: a list ends with an empty one."""
    lines = text.split("\n")[: shown.block.end]
    while len(lines) > shown.block.start and not lines[-1].strip():
        lines.pop()
    return len(lines)
