"""A text told by the one before it: where lines went, and the lines that came. Pure."""

from collections.abc import Sequence

from memoryweb.markdown.diff import edits

Edits = Sequence[Sequence[int]]  # at, gone, new: from which line on how many go, and come instead


class Replayed:
    """A file's text, revision by revision."""

    def __init__(self, text: str = "") -> None:
        self._parts = [text]

    def add(self, part: str, edits: Edits | None, *, is_whole: bool) -> None:
        """`part` is the whole text, what was appended, or the lines that edits put in."""
        if edits is not None:
            self._parts = [_edited(self.text, part, edits)]
        elif is_whole:
            self._parts = [part]
        else:
            self._parts.append(part)

    @property
    def text(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]


def line_delta(before: str, after: str) -> tuple[str, list[list[int]]]:
    """The lines that came, and the edits that put them in; no word of a line that went."""
    old, new = before.split("\n"), after.split("\n")
    told = list(edits(old, new))
    came = [line for _a1, _a2, b1, b2 in told for line in new[b1:b2]]
    return "\n".join(came), [[a1, a2 - a1, b2 - b1] for a1, a2, b1, b2 in told]


def _edited(before: str, part: str, edits: Edits) -> str:
    old, new = before.split("\n"), part.split("\n")
    lines, taken, last = list[str](), 0, 0
    for at, gone, came in edits:
        lines += old[last:at] + new[taken : taken + came]
        taken, last = taken + came, at + gone
    return "\n".join(lines + old[last:])
