"""A person decides about what waits, and what is forgotten: who may, asked of one memory or as a
filter; and one way for every kind."""

from collections.abc import Callable, Collection, Iterable
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Permission, Role, can
from memoryweb.memory import facts, forgetting
from memoryweb.memory.models import Contradiction, File
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.review import flags, nearly_full, proposals
from memoryweb.memory.review.inbox import Item
from memoryweb.memory.review.item_kinds import Kind
from memoryweb.memory.writing.changes import Pick

_NOBODY = UUID(int=0)
Handler = Callable[[Transaction, Item, User, str], object]


def may_decide(
    role: Role | str | None,
    takes: Permission = Permission.DECIDE,
    *,
    is_shared: bool,
    is_theirs: bool = False,
    is_opened: bool = False,
) -> bool:
    """Of shared memory whose role has the right; of personal memory whose it is, and for whom it
    is opened, who neither writes nor forgets for another."""
    if is_shared:
        return can(role, takes)
    return is_theirs or (is_opened and takes == Permission.DECIDE)


def reach_of(
    rights: Collection[Permission],
    own: Iterable[UUID],
    opened: Iterable[UUID],
    owner: str,
    takes: Permission,
) -> Q:
    """The same as a filter for rows with that field."""
    owners = (*own, *opened) if takes == Permission.DECIDE else tuple(own)
    # With none Django leaves the filter out, and what is prepared misses its values.
    reach = Q(**{f"{owner}__in": owners or (_NOBODY,)})
    if takes in rights:
        reach |= Q(**{owner: None}) | Q(**{f"{owner}__source": "system"})
    return reach


def _person(user: User) -> Writer:
    return Writer(AuthorKind.PERSON, user=user)


def _resolved(resolution: str) -> Handler:
    return lambda unit, item, by, text: facts.resolve(
        unit, item.row, resolution, writer=_person(by), text=text
    )


# A new kind adds its decisions here.
HANDLERS: dict[tuple[Kind, str], Handler] = {
    (Kind.PROPOSAL, "accept"): lambda unit, item, by, _: proposals.accept(unit, item.row, by=by),
    (Kind.PROPOSAL, "reject"): lambda unit, item, by, _: proposals.reject(unit, item.row, by=by),
    (Kind.PROPOSAL, "undo"): lambda unit, item, by, _: proposals.undo(unit, item.row, by=by),
    (Kind.CROWDED, "undo"): lambda unit, item, by, _: nearly_full.undo(unit, item.row),
    (Kind.CROWDED, "seen"): lambda unit, item, by, _: nearly_full.see(unit, item.row, by=by),
    (Kind.FLAG, "keep"): lambda unit, item, by, _: flags.keep(unit, *_line(item), by=by),
    (Kind.FLAG, "remove"): lambda unit, item, by, _: flags.remove(unit, *_line(item), by=by),
    **{(Kind.CONTRADICTION, code): _resolved(code) for code in Contradiction.Resolution.values},
    (Kind.FORGET, "forget"): lambda unit, item, by, picked: forgetting.erase(
        unit, item.row, by, picked=picked.split(","), seconds=settings.FORGET_UNDO_SECONDS
    ),
    (Kind.FORGET, "keep"): lambda unit, item, by, _: forgetting.keep(unit, item.row, by),
    (Kind.FORGET, "undo"): lambda unit, item, _by, _: forgetting.reopen(unit, item.row),
    (Kind.CONTRADICTION, "undo"): (
        lambda unit, item, by, _: facts.undo(unit, item.row, writer=_person(by))
    ),
}


def _line(item: Item) -> tuple[File, str]:
    return item.row.file, item.id.partition(".")[2]


def decide(
    tx: Transaction,
    item: Item,
    decision: str,
    *,
    by: User,
    value: str = "",
    picked: Pick | None = None,
    no_secrets: bool = False,
) -> None:
    """`value`: what a person types in: one line for two that contradict each other. `picked`: the
    lines of a proposal that they accept. `no_secrets`: they say so of what they type.

    Raises KeyError for a decision that the kind has not, Decided for one that came too late, and
    what the decision itself refuses.
    """
    if picked is not None and (item.kind, decision) == (Kind.PROPOSAL, "accept"):
        proposals.accept_lines(tx, item.row, by=by, picked=picked, no_secrets=no_secrets)
        return
    if no_secrets and item.kind == Kind.CONTRADICTION:
        writer = Writer(AuthorKind.PERSON, user=by, no_secrets=True)
        facts.resolve(tx, item.row, decision, writer=writer, text=value)
        return
    HANDLERS[item.kind, decision](tx, item, by, value)


def undo_flag(
    tx: Transaction, file: File, line_print: str, decision: str, was: str, *, by: User
) -> None:
    """Nothing is kept of a flagged line that was decided: `was` are the flags of one that was kept,
    or the revision that had it. Raises Decided, Stale."""
    if decision == "keep":
        flags.undo_keep(tx, file, line_print, was, by=by)
    else:
        flags.undo_remove(tx, file, int(was), by=by)
