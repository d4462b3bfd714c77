"""What an archive would bring, as rows of a page: first what wants a look, then what changes."""

from dataclasses import dataclass
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.markdown.diff import side_by_side
from memoryweb.memory.models.refusals import SecretRefused
from memoryweb.memory.snapshots import Action, Item, Plan, Talks
from memoryweb.memory.visible.placeholders import for_people_all

SHOWN = 60  # rows of one file's diff on the page of all
_REFUSED = (SecretRefused.code, "content_refused")
_LOOKS = {"create": "ok", "update": "run", "skip": "", "ignored": ""}


@dataclass(frozen=True)
class Arrival:
    """`item` is None for an entry that no file is made of."""

    name: str
    label: str
    look: str
    reason: str
    sizes: str = ""
    sources: str = ""
    held: str = ""
    item: Item | None = None

    @property
    def changes(self) -> bool:
        return self.item is not None and self.item.action != Action.SKIP

    @property
    def order(self) -> int:
        if self.held or (self.item and self.item.code in _REFUSED):
            return 0
        return 1 if self.changes else 2


def arrivals(plan: Plan) -> list[Arrival]:
    found = [_arrival(item) for item in plan.items]
    left_out = [
        Arrival(entry.name, _("ignored"), _LOOKS["ignored"], entry.reason) for entry in plan.ignored
    ]
    return sorted(found, key=lambda one: one.order) + left_out


def summary(plan: Plan) -> list[str]:
    """What the import would do; what it would do to nothing is left out."""
    create, update, skip = (plan.count(action) for action in ("create", "update", "skip"))
    ignore, hold = len(plan.ignored), len(plan.holding)
    counted = [
        (create, ngettext("{n} new file", "{n} new files", create)),
        (update, ngettext("{n} changed file", "{n} changed files", update)),
        (skip, ngettext("{n} skipped file", "{n} skipped files", skip)),
        (ignore, ngettext("{n} ignored entry", "{n} ignored entries", ignore)),
        (
            hold,
            ngettext("{n} file with likely passwords", "{n} files with likely passwords", hold),
        ),
    ]
    return [said.format(n=n) for n, said in counted if n] + _of_talks(plan.talks)


def _of_talks(talks: Talks) -> list[str]:
    if not talks.conversations:
        return []
    conversations = ngettext("{n} conversation", "{n} conversations", talks.conversations)
    new = ngettext("{n} new message", "{n} new messages", talks.new)
    said = [conversations.format(n=talks.conversations), new.format(n=talks.new)]
    if talks.known:
        known = ngettext("{n} message is here", "{n} messages are here", talks.known)
        said.append(known.format(n=talks.known))
    if talks.first and talks.last:
        span = _("{first} to {last}")
        said.append(span.format(first=talks.first.date(), last=talks.last.date()))
    return said


def shown_change(arrival: Arrival, *, most: int | None = SHOWN) -> dict[str, Any]:
    """With the first rows of its diff, which is worked out for what stands on the page alone."""
    if arrival.item is None or not arrival.changes:
        return {"arrival": arrival, "rows": [], "more": 0}
    item = arrival.item
    texts = [item.before, item.after]
    rows = side_by_side(
        *for_people_all([(item.file, one) for one in texts]) if item.file else texts
    )
    return {"arrival": arrival, "rows": rows[:most], "more": len(rows) - len(rows[:most])}


def _arrival(item: Item) -> Arrival:
    labels = {"create": _("new"), "update": _("changes"), "skip": _("skipped")}
    is_refused = item.code in _REFUSED
    names = [name for name in item.sources if name != item.path]
    return Arrival(
        name=item.path,
        label=_("left out") if is_refused else labels[item.action],
        look="warn" if is_refused else _LOOKS[item.action],
        reason=item.reason,
        sizes=_sizes(item),
        sources=", ".join(names),
        held=_held(item),
        item=item,
    )


def _sizes(item: Item) -> str:
    after = filesizeformat(item.size_after)
    if item.action == Action.UPDATE:
        return f"{filesizeformat(item.size_before)} → {after}"
    return str(after)


def _held(item: Item) -> str:
    """Which lines, never what stands there."""
    if not item.held:
        return ""
    lines = sorted({held.line for held in item.held})
    said = ngettext(
        "Line {lines} looks like it contains a password. A placeholder stands in for it until "
        "someone decides under Review.",
        "Lines {lines} look like they contain passwords. Placeholders stand in for them until "
        "someone decides under Review.",
        len(lines),
    )
    return said.format(lines=", ".join(map(str, lines)))
