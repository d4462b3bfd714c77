"""What an import would do to each file."""

from dataclasses import dataclass, field
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from memoryweb.markdown.diff import unified
from memoryweb.memory.screening import Held
from memoryweb.memory.snapshot.existing import Here
from memoryweb.snapshots.contents import Ignored, Incoming
from memoryweb.snapshots.union import joined


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    SKIP = "skip"


@dataclass(frozen=True)
class Item:
    """One file. `code` and `said` tell why it is skipped, or what an update keeps; `held` is
    what an import would hold back for a person to decide on."""

    path: str
    action: Action
    sources: tuple[str, ...]
    size_before: int
    size_after: int
    code: str = ""
    said: str | Promise = ""
    held: tuple[Held, ...] = ()
    file: Here | None = field(default=None, repr=False)
    incoming: Incoming | None = field(default=None, repr=False)
    shown: str | None = field(default=None, repr=False)

    @property
    def reason(self) -> str:
        return str(self.said)

    @property
    def before(self) -> str:
        return self.file.content if self.file and self.file.is_present else ""

    @property
    def coming(self) -> str:
        """The text to write; decoded anew each time, to hold no second copy."""
        assert self.incoming is not None
        text = self.incoming.data.decode()
        return joined(self.before, text) if self.incoming.note_date else text

    @property
    def after(self) -> str:
        """The text that an import leaves: what it would hold back stands in it as its mark."""
        if self.action == Action.SKIP:
            return self.before
        return self.coming if self.shown is None else self.shown

    def diff(self, most: int) -> str:
        """At most so many lines of what changes; worked out only when asked for."""
        if self.action == Action.SKIP:
            return ""
        if self.action == Action.CREATE:
            lines = [f"+ {line}" for line in self.after.removesuffix("\n").split("\n")]
        else:
            lines = unified(self.before, self.after).split("\n")
        left = len(lines) - most
        more = [_("… ({n} more lines)").format(n=left)] if left > 0 else []
        return "\n".join(lines[:most] + more)


@dataclass(frozen=True)
class Plan:
    """`state` changes with every change of a file that the archive has, too."""

    items: tuple[Item, ...]
    ignored: tuple[Ignored, ...]
    archive_sha256: str
    state: str

    @property
    def changes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.action != Action.SKIP)

    @property
    def holding(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.held)

    def count(self, action: Action | str) -> int:
        return sum(item.action == action for item in self.items)
