"""A person decides about what waits, and what is forgotten: who may, asked of one memory or as a
filter; and one way for every kind."""

from collections.abc import Callable, Collection, Iterable
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext_noop

from memoryweb.accounts.models import User
from memoryweb.accounts.permissions import Permission, Role, can
from memoryweb.audit.record import target
from memoryweb.markdown.file_kinds import CORE
from memoryweb.memory import facts, forgetting
from memoryweb.memory.lines import flags
from memoryweb.memory.models import AuthorKind, Contradiction, CrowdedFile, Fact, File, LineOrigin
from memoryweb.memory.models.refusals import Decided, Stale
from memoryweb.memory.models.review import follow
from memoryweb.memory.models.writer import Place, Transaction, Writer
from memoryweb.memory.review import proposals
from memoryweb.memory.review.inbox import Item, Kind
from memoryweb.memory.statements import projection
from memoryweb.memory.statements.listing import protected_size
from memoryweb.memory.writing import write
from memoryweb.memory.writing.changes import Pick
from memoryweb.memory.writing.write import WriteResult, lock, restore, take_out

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
    (Kind.CROWDED, "undo"): lambda unit, item, by, _: undo_crowded(unit, item.row),
    (Kind.CROWDED, "seen"): lambda unit, item, by, _: see_crowded(unit, item.row, by=by),
    (Kind.FLAG, "keep"): lambda unit, item, by, _: keep_flagged(unit, *_line(item), by=by),
    (Kind.FLAG, "remove"): lambda unit, item, by, _: remove_flagged(unit, *_line(item), by=by),
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
        undo_keep_flagged(tx, file, line_print, was, by=by)
    else:
        undo_remove_flagged(tx, file, int(was), by=by)


# What a person does about a flagged line: keeps it as it is, or takes it away.


def keep_flagged(tx: Transaction, file: File, line_print: str, *, by: User) -> int:
    """Clear the flags of the line, which counts as asked for now; its number. Raises Decided.

    `line_print` is `memory.lines.flags.print_of` of the line that the person saw, wherever it
    stands by now.
    """
    file = lock(file)
    number, marks = _find(file, line_print)
    flags.let_stand(file, [flags.line_at(file, number)])
    LineOrigin.objects.filter(file=file, line=number).update(marks="", asked=True)
    follow(Kind.FLAG, [file.pk])
    projection.let_stand(file, number)
    _record(tx, "mark.kept", file, number, marks, by)
    return number


def remove_flagged(tx: Transaction, file: File, line_print: str, *, by: User) -> WriteResult:
    """Take the line out by a new revision of the person. Raises Decided, WriteRefused."""
    file = lock(file)
    number, marks = _find(file, line_print)
    writer = Writer(AuthorKind.PERSON, user=by)
    reason = gettext_noop("A flagged line was removed.")
    written = take_out(tx, file, [number], writer=writer, reason=reason)
    _record(tx, "mark.removed", file, number, marks, by)
    return written


def undo_keep_flagged(
    tx: Transaction, file: File, line_print: str, marks: str, *, by: User
) -> None:
    """The line waits for a person again. Raises Decided, where it is no longer there."""
    file = lock(file)
    number = next(iter(flags.lines_with(file, line_print)), 0)
    rows = LineOrigin.objects.filter(file=file, line=number, marks="")
    if not number or file.deleted_at or not rows.update(marks=marks):
        raise Decided
    follow(Kind.FLAG, [file.pk])
    flags.let_stand_no_more(file, flags.line_at(file, number))
    projection.follow_flags(file)
    _record(tx, "review.undone", file, number, marks, by)


def undo_remove_flagged(tx: Transaction, file: File, revision: int, *, by: User) -> None:
    """The line is back and waits. Raises Stale."""
    file = lock(file)
    if file.revision != revision + 1:
        raise Stale(file)
    whys = projection.all_went(file, Fact.Why.REMOVED)
    restored = restore(tx, file, revision, writer=Writer(AuthorKind.PERSON, user=by), whys=whys)
    _record(tx, "review.undone", restored.file, 0, "", by)


def _find(file: File, line_print: str) -> tuple[int, str]:
    marked = dict(
        LineOrigin.objects.filter(file=file).exclude(marks="").values_list("line", "marks")
    )
    number = next((n for n in flags.lines_with(file, line_print) if n in marked), None)
    if number is None:
        raise Decided
    return number, marked[number]


def _record(tx: Transaction, action: str, file: File, number: int, marks: str, by: User) -> None:
    tx.record(
        action,
        **target(file),
        target_revision=file.revision,
        on_behalf_of=file.owner_id,
        labels={"path": file.path},
        details={"line": number, "marks": marks.split(","), "by": str(by.pk)},
    )


# MEMORY.md is nearly full of what no machine may take out: Review says so, once.

State = CrowdedFile.State
_MOST = 0.8 * (CORE["MEMORY.md"].limit or 0)  # characters that are protected


def is_crowded(file: File) -> bool:
    """Of MEMORY.md."""
    return protected_size(file, _MOST) > _MOST


def tell(tx: Transaction, place: Place, content: str) -> None:
    """After a dream; what nobody has seen yet goes when there is room again."""
    file = write.find(place) if len(content) > _MOST else None
    if file is not None and is_crowded(file):
        found, is_new = CrowdedFile.objects.get_or_create(
            file=file, defaults={"team": tx.team, "created_at": tx.now}
        )
        if is_new:
            follow(Kind.CROWDED, [found.pk])
    else:
        files = place.memory.files
        open_ones = CrowdedFile.objects.filter(state=State.OPEN)
        open_ones.filter(file__in=files.filter(path=place.path).values("pk")).delete()


def see_crowded(tx: Transaction, found: CrowdedFile, *, by: User) -> None:
    """Raises Decided."""
    seen = {"state": State.SEEN, "decided_by": by, "decided_at": tx.now}
    if not CrowdedFile.objects.filter(pk=found.pk, state=State.OPEN).update(**seen):
        raise Decided
    follow(Kind.CROWDED, [found.pk])
    tx.record(
        "file.crowded_seen",
        target_kind="file",
        target_id=str(found.file_id),
        agent_id=found.file.agent_id,
        on_behalf_of=found.file.owner_id,
    )


def undo_crowded(tx: Transaction, found: CrowdedFile) -> None:
    """Raises Decided."""
    again = {"state": State.OPEN, "decided_by": None, "decided_at": None}
    if not CrowdedFile.objects.filter(pk=found.pk, state=State.SEEN).update(**again):
        raise Decided
    follow(Kind.CROWDED, [found.pk])
    tx.record(
        "review.undone",
        target_kind="file",
        target_id=str(found.file_id),
        on_behalf_of=found.file.owner_id,
    )
