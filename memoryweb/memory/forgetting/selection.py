"""Forgetting what somebody pointed at: statements, lines or words; a dry run says what would go."""

from collections.abc import Collection

from django.conf import settings

from memoryweb.memory.forgetting import hiding, targets
from memoryweb.memory.forgetting.hiding import Asked
from memoryweb.memory.forgetting.requests import room
from memoryweb.memory.forgetting.targets import Found
from memoryweb.memory.models import Fact, File, Request, Target
from memoryweb.memory.models.forgetting import Meant
from memoryweb.memory.models.refusals import Stale
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.visible.hidden import lines_saying
from memoryweb.memory.writing import write


def forget(
    tx: Transaction, asked: Asked, found: Found, *, is_person: bool, is_theirs: bool
) -> Request:
    """Hidden at once and erased after the time of a button, where a person forgets what is
    `is_theirs` to forget; what a program asks has a request's time, and `room`.
    All else is offered, for whoever may decide."""
    offers = not is_theirs or not (is_person or statements(found.meant) <= room(asked, tx.now))
    request = hiding.open_request(tx, asked)
    if offers:
        hiding.hide(tx, request, (), candidates=found.meant)
    else:
        seconds = settings.FORGET_UNDO_SECONDS if is_person else None
        hiding.hide(tx, request, found.meant, seconds=seconds, candidates=found.candidates)
    return request


def forget_fact(tx: Transaction, fact: Fact, *, writer: Writer, is_theirs: bool) -> Request:
    """With all that says the same."""
    asked = Asked(fact.agent, fact.owner, Request.Via.PAGE, by=writer.user)
    found = targets.of_facts(fact.agent, fact.owner, [fact])
    return forget(tx, asked, found, is_person=True, is_theirs=is_theirs)


def forget_lines(
    tx: Transaction,
    file: File,
    numbers: Collection[int],
    *,
    expected: str,
    writer: Writer,
    is_theirs: bool,
) -> Request:
    """Lines of the text that has this hash, with all that says the same. Raises Stale."""
    file = _unchanged(file, expected)
    asked = Asked(file.agent, file.owner, Request.Via.PAGE, by=writer.user)
    found = targets.of_lines(file, numbers)
    return forget(tx, asked, found, is_person=True, is_theirs=is_theirs)


def undo_of_lines(
    tx: Transaction, file: File, numbers: Collection[int], *, expected: str, writer: Writer
) -> None:
    """Every request of its memory that hides one of these lines. Raises Stale, NothingToUndo."""
    file = _unchanged(file, expected)
    own = Request.objects.hiding().of(file.agent_id, file.owner_id)
    its = Target.objects.filter(file=file, is_hidden=True, request__in=own)
    said = [row for row in its if lines_saying(file.raw_content, {row.fingerprint}) & {*numbers}]
    for request in own.filter(pk__in=[row.request_id for row in said]):
        hiding.undo(tx, request, writer.user)
    if not said:
        raise hiding.NothingToUndo


def _unchanged(file: File, expected: str) -> File:
    file = write.lock(file)
    if file.sha256 != expected:
        raise Stale(file)
    return file


def undo_of_fact(tx: Transaction, fact: Fact, *, writer: Writer) -> None:
    """Every request of its memory that hides it. Raises NothingToUndo."""
    requests = [one for one in hiding_of(fact) if one.targets.filter(fact=fact, is_hidden=True)]
    if not requests:
        raise hiding.NothingToUndo
    for request in requests:
        hiding.undo(tx, request, writer.user)


def hiding_of(fact: Fact) -> list[Request]:
    """The requests of its own memory that hide it, or ask for it; what is erased last comes last:
    an owner's private request may hide a shared statement, too."""
    own = Request.objects.hiding().of(fact.agent_id, fact.owner_id)
    found = own.filter(targets__fact=fact).distinct()
    return list(found.order_by("erase_at", "created_at"))


def statements(meant: tuple[Meant, ...]) -> int:
    """How many things go, wherever each of them stands."""
    facts = {one.fact.pk for one in meant if one.fact}
    return len(facts) or len({one.text for one in meant})
