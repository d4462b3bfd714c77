"""What was held back as a likely password, and how a person decides about it (SPEC §12)."""

import hmac
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.audit.queries import count_since
from memoryweb.audit.record import target
from memoryweb.markdown.diff import carry
from memoryweb.memory.index import indexing
from memoryweb.memory.lines.revisions import content_of
from memoryweb.memory.models import File, HeldSecret, Message, Passage
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.refusals import Decided, ValueRefused, WrongValue
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.memory.models.writer import Place, Writer
from memoryweb.memory.writing import screening, write

KEPT = timedelta(days=30)
WINDOW, MOST_TRIES = timedelta(minutes=15), 5
BATCH = 200


def refuse(tx: Transaction, held: HeldSecret, *, by: User) -> None:
    """It is a secret: it stays out, and is not asked about again there. Raises Decided."""
    _decide(tx, held, HeldSecret.State.REFUSED, by)


def release(tx: Transaction, held: HeldSecret, *, by: User, value: str = "") -> None:
    """It is no secret: from now on it passes. With the value typed in, it comes back to its place.

    Raises Decided, ValueRefused and what `files.write` raises.
    """
    if value.strip():
        _check_value(tx, held, value)
    _decide(tx, held, HeldSecret.State.RELEASED, by)
    if value.strip() and held.file is not None:
        _into_file(tx, held, held.file, value.strip(), by)
    elif value.strip() and held.message is not None:
        _into_message(held, held.message, value.strip())


def undo(tx: Transaction, held: HeldSecret, *, by: User) -> None:
    """It waits again, with what was decided along with it. A value that was put back stays.

    Raises Decided.
    """
    found = HeldSecret.objects.filter(pk=held.pk, decided_by=by).first()
    if found is None:
        raise Decided
    together = _same(found).filter(state=found.state, decided_at=found.decided_at)
    kept = list(together.values_list("pk", flat=True))
    _set(together, HeldSecret.State.WAITING, None, None)
    # It waits from now on, and expires no sooner than any other.
    HeldSecret.objects.filter(pk__in=kept).update(created_at=tx.now)
    follow(Kind.SECRET, kept)
    tx.record(
        "review.undone",
        target_kind="held_secret",
        target_id=str(found.pk),
        on_behalf_of=found.owner_id,
    )


def line_now(held: HeldSecret) -> tuple[int, str]:
    """The line that holds its marker now, and that line's text; (0, "") where none does."""
    if held.file is not None:
        file = held.file
        if file.deleted_at is not None:
            return 0, ""
        return _marked(file.raw_content, held.kind, _moved(file, held))
    content = held.message.raw_content if held.message else ""
    return _marked(content, held.kind, held.line)


def expire(now: datetime) -> int:
    """What nobody decided about in 30 days counts as a secret; how many did."""
    with scopes_disabled():
        late = list(
            HeldSecret.objects.filter(
                state=HeldSecret.State.WAITING, created_at__lt=now - KEPT
            ).select_related("team")[:BATCH]
        )
    for team in {one.team for one in late}:
        with write_transaction(team) as work:
            for one in late:
                if one.team_id == team.pk:
                    _close(work, one, HeldSecret.State.EXPIRED, None)
    return len(late)


def _check_value(tx: Transaction, held: HeldSecret, value: str) -> None:
    wrong = count_since(held.team_id, "secret.value_refused", tx.actor.id, tx.now - WINDOW)
    if wrong >= MOST_TRIES:
        said = _("Too many wrong values. Wait {n} minutes, or say that it is no secret.")
        minutes = int(WINDOW.total_seconds() // 60)
        raise ValueRefused("too_many_tries", said.format(n=minutes))
    given = screening.fingerprint(held.team_id, value)
    if not hmac.compare_digest(given, held.fingerprint):
        raise WrongValue(held.pk, held.owner_id)


def _decide(tx: Transaction, held: HeldSecret, state: HeldSecret.State, by: User) -> None:
    if not _close(tx, held, state, by):
        raise Decided
    _set(_same(held).filter(state=HeldSecret.State.WAITING), state, by, tx.now)


def _same(held: HeldSecret) -> "QuerySet[HeldSecret]":
    """The value wherever it was held back of that memory."""
    return HeldSecret.objects.filter(
        team=held.team_id, agent=held.agent_id, owner=held.owner_id, fingerprint=held.fingerprint
    )


def _set(
    rows: "QuerySet[HeldSecret]", state: HeldSecret.State, by: User | None, at: datetime | None
) -> int:
    keys = list(rows.values_list("pk", flat=True))
    count = rows.update(state=state, decided_by=by, decided_at=at)
    follow(Kind.SECRET, keys)
    return count


def _close(tx: Transaction, held: HeldSecret, state: HeldSecret.State, by: User | None) -> bool:
    waiting = HeldSecret.objects.filter(pk=held.pk, state=HeldSecret.State.WAITING)
    if not _set(waiting, state, by, tx.now):
        return False
    expired = state == HeldSecret.State.EXPIRED
    tx.record(
        "secret.expired" if expired else "secret.decided",
        **target(held),
        on_behalf_of=held.owner_id,
        reason_code=state.value,
    )
    return True


def _into_file(tx: Transaction, held: HeldSecret, file: File, value: str, by: User) -> None:
    file = write.lock(file)
    number, line = (0, "")
    if file.deleted_at is None:
        number, line = _marked(file.raw_content, held.kind, _moved(file, held))
    if not number:
        raise _no_place()
    content = _put_back(file.raw_content, number, line, held.kind, value)
    place = Place(file.agent, file.owner, file.path)
    write.write(tx, place, content, writer=Writer(AuthorKind.PERSON, user=by))


def _into_message(held: HeldSecret, message: Message, value: str) -> None:
    message = Message.objects.select_for_update(of=("self",)).get(pk=message.pk)
    number, line = _marked(message.raw_content, held.kind, held.line)
    if not number:
        raise _no_place()
    message.raw_content = _put_back(message.raw_content, number, line, held.kind, value)
    message.masked = max(0, message.masked - 1)
    message.save(update_fields=["raw_content", "masked"])
    Passage.objects.filter(message=message).delete()
    indexing.index_messages(message.conversation, [message])


def _no_place() -> ValueRefused:
    said = _("No line has the mark any more that stood for this value, so it can't be put back. ")
    return ValueRefused("no_place", said + _("Say that it is no secret without typing it."))


def _moved(file: File, held: HeldSecret) -> int:
    """Where the line went that it stood on, as far as the diff can tell."""
    if held.revision is None or held.revision >= file.revision:
        return held.line
    before = content_of(file, held.revision).split("\n")
    carried = carry(before, file.raw_content.split("\n"))
    pairs = {**carried.changed, **carried.same}
    return next((new for new, old in pairs.items() if old == held.line), held.line)


def _marked(content: str, kind: str, line: int) -> tuple[int, str]:
    """The marked line that is nearest to that one."""
    marker = screening.marker(kind)
    found = [(n, text) for n, text in enumerate(content.split("\n"), 1) if marker in text]
    return min(found, key=lambda one: abs(one[0] - line), default=(0, ""))


def _put_back(content: str, number: int, line: str, kind: str, value: str) -> str:
    lines = content.split("\n")
    lines[number - 1] = line.replace(screening.marker(kind), value, 1)
    return "\n".join(lines)
