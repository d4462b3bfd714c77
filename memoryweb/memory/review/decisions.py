"""A person decides about what waits: one way for every kind."""

from collections.abc import Callable

from memoryweb.accounts.models import User
from memoryweb.memory.review import flags, proposals, secrets
from memoryweb.memory.transaction import Transaction
from memoryweb.review.inbox import Item, Kind
from memoryweb.workspace.models import File

Handler = Callable[[Transaction, Item, User, str], object]

# A new kind adds its decisions here.
HANDLERS: dict[tuple[Kind, str], Handler] = {
    (Kind.PROPOSAL, "accept"): lambda unit, item, by, _: proposals.accept(unit, item.row, by=by),
    (Kind.PROPOSAL, "reject"): lambda unit, item, by, _: proposals.reject(unit, item.row, by=by),
    (Kind.FLAG, "keep"): lambda unit, item, by, _: flags.keep(unit, *_line(item), by=by),
    (Kind.FLAG, "remove"): lambda unit, item, by, _: flags.remove(unit, *_line(item), by=by),
    (Kind.SECRET, "secret"): lambda unit, item, by, _: secrets.refuse(unit, item.row, by=by),
    (Kind.SECRET, "no_secret"): (
        lambda unit, item, by, value: secrets.release(unit, item.row, by=by, value=value)
    ),
}


def _line(item: Item) -> tuple[File, str]:
    return item.row.file, item.id.partition(".")[2]


def decide(tx: Transaction, item: Item, decision: str, *, by: User, value: str = "") -> None:
    """`value`: what a person types in to put a held secret back into its line.

    Raises KeyError for a decision that the kind has not, Decided for one that came too late, and
    what the decision itself refuses.
    """
    HANDLERS[item.kind, decision](tx, item, by, value)
