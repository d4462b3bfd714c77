"""Pinned blocks: `<!-- pinned -->` … `<!-- /pinned -->`, kept verbatim by code. Pure."""

OPEN, CLOSE = "<!-- pinned -->", "<!-- /pinned -->"


def pinned_lines(content: str) -> set[int]:
    """1-based numbers of the lines of pinned blocks, markers included; unclosed runs to the end."""
    pinned: set[int] = set()
    inside = False
    for number, line in enumerate(content.split("\n"), start=1):
        inside = inside or line.strip() == OPEN
        if inside:
            pinned.add(number)
        inside = inside and line.strip() != CLOSE
    return pinned
