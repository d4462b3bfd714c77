"""What dreams did to statements, counted and in words: the same in the diary, on pages, cards and
in mail."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Self

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryweb.dreaming.models import Operation
from memoryweb.dreaming.operations import Does
from memoryweb.markdown.marks import part

_LONGEST = 160  # characters of a quoted sentence
_MOST = 24  # sentences of an entry
_LABELS = {
    "learned": gettext_lazy("Learned"),
    "changed": gettext_lazy("Changed"),
    "ended": gettext_lazy("Ended"),
    "waits": gettext_lazy("Waits for a person"),
    "skipped": gettext_lazy("Skipped"),
}


@dataclass(frozen=True)
class Tally:
    """How many statements were learned, changed and ended, about how many a person is asked, and
    how many people corrected."""

    learned: int = 0
    changed: int = 0
    ended: int = 0
    asked: int = 0
    corrected: int = 0

    @classmethod
    def of(cls, kinds: Iterable[str]) -> Self:
        found = Counter(kinds)
        return cls(found["learned"], found["changed"], found["ended"], found["waits"])

    @classmethod
    def sum(cls, tallies: Iterable[Self]) -> Self:
        return cls(*map(sum, zip(*map(astuple, tallies), strict=True)))

    @property
    def total(self) -> int:
        """Of what was done."""
        return self.learned + self.changed + self.ended + self.corrected

    @property
    def words(self) -> str:
        told = {
            _("{n} learned"): self.learned,
            _("{n} changed"): self.changed,
            _("{n} ended"): self.ended,
            _("{n} corrected by people"): self.corrected,
        }
        return ", ".join(said.format(n=n) for said, n in told.items() if n)

    def sentence(self, name: str) -> str:
        """Empty where nothing happened."""
        parts = [one for one in self._parts() if one]
        if not parts:
            return ""
        said = _("{name} {parts} and {last}.") if parts[1:] else _("{name} {last}.")
        return said.format(name=name, parts=", ".join(parts[:-1]), last=parts[-1])

    def _parts(self) -> Iterator[str]:
        """Only the first one names what is counted."""
        n, is_first = self.learned, not self.learned
        yield ngettext("learned {n} thing", "learned {n} things", n).format(n=n) if n else ""
        n = self.changed
        said = ngettext("changed its mind about {n} thing", "changed its mind about {n} things", n)
        yield (said if is_first else _("changed its mind about {n}")).format(n=n) if n else ""
        n, is_first = self.ended, is_first and not self.changed
        said = ngettext("ended {n} thing", "ended {n} things", n)
        yield (said if is_first else _("ended {n}")).format(n=n) if n else ""
        yield _("asks you about {n}").format(n=self.asked) if self.asked else ""


def counts(way: str = "") -> dict[str, Count]:
    """The numbers of a tally, for a query. `way`: to the operations, with `__`."""

    def its(**values: object) -> Q:
        return Q(**{way + name: value for name, value in values.items()})

    done, is_new, is_gone = its(code="", waits=""), its(before=[]), its(after="")
    kinds = {"learned": is_new & ~is_gone, "changed": ~is_new & ~is_gone, "ended": is_gone}
    what = way.removesuffix("__") or "pk"
    return {kind: Count(what, filter=done & one) for kind, one in kinds.items()}


def told(done: Sequence[Operation]) -> str:
    """A line for each, what came in first; without what memory said already."""
    lines = [
        f"- {label}: {_line(one)}"
        for kind, label in _LABELS.items()
        for one in done
        if one.kind == kind
    ]
    if len(lines) > _MOST:
        lines[_MOST:] = ["- " + _("… and {n} more").format(n=len(lines) - _MOST)]
    return "\n".join(lines)


def bare(text: str) -> str:
    """Quoted within a sentence, which has a full stop of its own."""
    line = " ".join(text.rstrip(" .。").split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _line(one: Operation) -> str:
    olds = [] if one.does == Does.END else one.before
    sides = [" / ".join(map(_quoted, olds)), _quoted(part(one.after)[0])]
    said = " → ".join(filter(None, sides)) or _("A change")
    against = _("Beside it stands “{text}”.").format(text=bare(one.against)) if one.against else ""
    return " ".join(filter(None, [f"{said}.", one.reason, against]))


def _quoted(text: str) -> str:
    return f"“{bare(text)}”" if text else ""
