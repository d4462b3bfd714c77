"""Secrets that an integration gets for one of its owners (SPEC §2): a short code that joins the
owner to the person who types it in, a link that opens *My memory* once without an account, and a
code mailed to the address that it gave for the owner, which proves that they read mail there.

A link holds 256 bits. A code has eight of 31 letters, 31^8 = 8.5e11 of them, and is found by its
hash alone, so a guess tries all that are live in its team at once. A person has 5 wrong tries in
15 minutes and all persons of a team together 20; an integration has at most 100 codes that live.
Whoever guesses for a whole year, 20 * 4 * 24 * 365 = 7e5 tries, hits one of 100 with a chance of
1 in 12,000; each wrong try stands in the audit log. A mailed code fits one owner and ends with the
fifth wrong try.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_scopes import scope, scopes_disabled

from memoryweb.accounts.models import Integration, Team, User
from memoryweb.agents.exceptions import CodeRefused, OwnerRefused, TooManyCodes, TooManyTries
from memoryweb.agents.models import OneTimeCode, Owner, OwnerAddress
from memoryweb.audit import keys
from memoryweb.audit.models import count_since
from memoryweb.audit.record import Actor, Entry, lock, record, target

Purpose = OneTimeCode.Purpose
# Nothing that is read as another: no 0 and O, no 1, I and L.
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_LENGTH = 8
LASTS = {
    Purpose.LINK: timedelta(minutes=10),
    Purpose.VISIT: timedelta(hours=24),
    Purpose.ADDRESS: timedelta(minutes=30),
}
VISIT_LASTS = timedelta(minutes=30)
WINDOW = timedelta(minutes=15)
MOST_TRIES, MOST_TRIES_OF_TEAM = 5, 20
MOST_CODES, MOST_LIVE_CODES = 5, 100


@dataclass(frozen=True)
class NewCode:
    secret: str
    expires_at: datetime


@transaction.atomic
def issue(
    *,
    owner: Owner,
    integration: Integration | None,
    purpose: Purpose,
    by: Actor,
    grant: str = "",
) -> NewCode:
    """A new secret; the owner's older ones of this purpose end. Raises OwnerRefused, TooManyCodes.

    A person of the team, who may by `grant` or mails it to the address that the integration gave,
    gets links alone: whose chat account somebody is, only what came through that chat proves.

    Only its keyed hash is kept, so nobody can show it again.
    """
    lock(owner.team_id)
    _check_person(owner)
    now = timezone.now()
    earlier = OneTimeCode.objects.filter(team=owner.team, owner=owner, purpose=purpose)
    if earlier.filter(created_at__gt=now - WINDOW).count() >= MOST_CODES:
        raise TooManyCodes(WINDOW)
    if purpose != Purpose.VISIT:
        _check_live_codes(integration, purpose, now)
    earlier.filter(used_at=None, expires_at__gt=now).update(expires_at=now)
    is_persons = by.kind == "person"
    secret = secrets.token_urlsafe(32) if purpose == Purpose.VISIT else _short()
    code = OneTimeCode.objects.create(
        team=owner.team,
        owner=owner,
        integration=integration,
        purpose=purpose,
        sha256=_hash(purpose, secret),
        expires_at=now + LASTS[purpose],
        issued_by_id=by.id if is_persons and by.role != "visitor" else None,
        created_at=now,
    )
    more = {"grant": grant} if grant else {"sent": "mail"} if is_persons else {}
    action = "owner.address_given" if purpose == Purpose.ADDRESS else "owner.code_issued"
    _record(action, owner, by, purpose=str(purpose), **more)
    return NewCode(secret, code.expires_at)


def links_of(owner_ids: Iterable[UUID]) -> list[OneTimeCode]:
    """The last 20 to these owners' memory, the latest first."""
    links = OneTimeCode.objects.filter(owner__in=list(owner_ids), purpose=Purpose.VISIT)
    return list(links.select_related("issued_by", "integration").order_by("-created_at")[:20])


@transaction.atomic
def withdraw(*, owner: Owner, by: Actor) -> bool:
    """Its links open nothing any more, and a visit ends. Says whether there was one."""
    lock(owner.team_id)
    now = timezone.now()
    live = OneTimeCode.objects.filter(owner=owner, purpose=Purpose.VISIT, expires_at__gt=now)
    if not live.update(expires_at=now):
        return False
    _record("owner.code_withdrawn", owner, by)
    return True


# The address of an owner, as their integration gave it: only who reads mail there has the code.


@transaction.atomic
def give_address(
    *, owner: Owner, integration: Integration, email: str, language: str, by: Actor
) -> NewCode | None:
    """The code to be mailed there; None for an address that was confirmed. What was mailed to an
    older address opens nothing any more. Raises OwnerRefused, TooManyCodes."""
    lock(owner.team_id)
    known = OwnerAddress.objects.filter(owner=owner).select_related("integration").first()
    if known and known.integration == integration and mail_address(known) == email:
        return None
    code = issue(owner=owner, integration=integration, purpose=Purpose.ADDRESS, by=by)
    if known and known.confirmed_at:
        withdraw(owner=owner, by=by)
    row = OwnerAddress(owner=owner, team=owner.team, integration=integration, language=language)
    row.sealed_key = keys.seal(email, row.bound_to)
    row.save()
    return code


def confirm_address(*, owner: Owner, integration: Integration, code: str, by: Actor) -> None:
    """Five wrong tries end the code; each is an event of its own. Raises CodeRefused."""
    with transaction.atomic():
        lock(owner.team_id)
        now = timezone.now()
        waiting = OwnerAddress.objects.filter(
            owner=owner, integration=integration, confirmed_at=None, tries__lt=MOST_TRIES
        )
        live = _live(Purpose.ADDRESS, _typed(code), now).filter(owner=owner)
        if (found := live.first()) and waiting.update(confirmed_at=now):
            _use(found, now)
            _record("owner.address_confirmed", owner, by)
            return
        if waiting.update(tries=models.F("tries") + 1):
            entry = Entry(
                action="owner.address_refused",
                actor=by,
                **target(owner),
                on_behalf_of=owner.pk,
                outcome="refused",
                reason_code="wrong_link_code",
            )
            record(owner.team_id, entry)
    raise CodeRefused


@transaction.atomic
def remove_address(*, owner: Owner, by: Actor) -> bool:
    """With the links that were mailed there. Says whether there was one."""
    lock(owner.team_id)
    if not OwnerAddress.objects.filter(owner=owner).delete()[0]:
        return False
    withdraw(owner=owner, by=by)
    _record("owner.address_removed", owner, by)
    return True


def confirmed_address(owner: Owner) -> OwnerAddress | None:
    """Where a link may be mailed, while the integration that gave it is not revoked."""
    found = OwnerAddress.objects.filter(owner=owner).select_related("integration").first()
    return found if found and mail_address(found) else None


def mail_address(address: OwnerAddress) -> str:
    """For the mail server alone; empty for one that isn't confirmed or can't be opened."""
    if address.confirmed_at is None or address.integration.revoked_at is not None:
        return ""
    return keys.unseal(bytes(address.sealed_key), address.bound_to) or ""


def redeem_link(*, team: Team, user: User, code: str, by: Actor) -> Owner:
    """Join the code's owner to this person. A wrong try is an event of its own.

    Raises CodeRefused, TooManyTries, OwnerRefused.
    """
    with transaction.atomic():
        lock(team.pk)
        now = timezone.now()
        if _has_guessed(team, by, now):
            raise TooManyTries(WINDOW)
        found = _live(Purpose.LINK, _typed(code), now).filter(team=team).first()
        if found is not None:
            return _link(found, user, now, by)
        entry = Entry("owner.link_refused", by, outcome="refused", reason_code="wrong_link_code")
        record(team.pk, entry)
    raise CodeRefused


@transaction.atomic
def unlink(*, owner: Owner, user: User, by: Actor) -> bool:
    """Says whether anything changed. The memory stays with the chat account or app."""
    lock(owner.team_id)
    mine = Owner.objects.filter(team=owner.team, pk=owner.pk, person=user).exclude(source="user")
    changed = bool(mine.update(person=None))
    if changed:
        _record("owner.unlinked", owner, by)
    return changed


def redeem_visit(secret: str) -> OneTimeCode:
    """Open the visit of a link, once. Its hash is what finds the team. Raises CodeRefused."""
    now = timezone.now()
    with scopes_disabled():
        found = _live(Purpose.VISIT, secret, now).first()
    if found is None:
        raise CodeRefused
    with scope(team=found.team), transaction.atomic():
        lock(found.team_id)
        _use(found, now, expires_at=now + VISIT_LASTS)
        _record("visit.opened", found.owner, visitor(found.owner))
    return found


def open_visit(code_id: str) -> OneTimeCode | None:
    """The visit that a browser holds, while it lasts and its integration is not revoked."""
    with scopes_disabled():
        codes = OneTimeCode.objects.filter(
            pk=code_id,
            purpose=Purpose.VISIT,
            used_at__isnull=False,
            expires_at__gt=timezone.now(),
            integration__revoked_at=None,
        )
        return codes.select_related("team", "owner__integration", "integration").first()


@transaction.atomic
def close_visit(code: OneTimeCode) -> None:
    lock(code.team_id)
    now = timezone.now()
    if OneTimeCode.objects.filter(pk=code.pk, expires_at__gt=now).update(expires_at=now):
        _record("visit.closed", code.owner, visitor(code.owner))


def visitor(owner: Owner) -> Actor:
    """Somebody without an account who holds the owner's own link."""
    return Actor("person", str(owner.pk), "visitor")


def _check_person(owner: Owner) -> None:
    if owner.is_system or owner.source.endswith(":room"):
        raise OwnerRefused(
            _("The memory of a group chat or of the system doesn't belong to one person.")
        )
    if owner.source == "user":
        raise OwnerRefused(_("This person has an account and finds My memory after signing in."))


def _check_live_codes(integration: Integration | None, purpose: Purpose, now: datetime) -> None:
    if integration is None:
        raise CodeRefused
    codes = OneTimeCode.objects.filter(team=integration.team, integration=integration)
    live = codes.filter(purpose=purpose, used_at=None, expires_at__gt=now)
    if live.count() >= MOST_LIVE_CODES:
        raise TooManyCodes(WINDOW)


def _has_guessed(team: Team, by: Actor, now: datetime) -> bool:
    """This person, or several of the team together."""
    tries = ((by.id, MOST_TRIES), (None, MOST_TRIES_OF_TEAM))
    return any(
        count_since(team.pk, "owner.link_refused", who, now - WINDOW) >= most for who, most in tries
    )


def _link(code: OneTimeCode, user: User, now: datetime, by: Actor) -> Owner:
    owner = code.owner
    if owner.person_id not in {None, user.pk}:
        raise OwnerRefused(
            _("This chat account or app is linked to someone else. They have to unlink it first.")
        )
    _use(code, now, used_by=user)
    Owner.objects.filter(pk=owner.pk).update(person=user)
    owner.person = user
    _record("owner.linked", owner, by)
    return owner


def _use(code: OneTimeCode, now: datetime, **fields: object) -> None:
    """Of two that come at once, one finds it used."""
    unused = OneTimeCode.objects.filter(pk=code.pk, used_at=None, expires_at__gt=now)
    if not unused.update(used_at=now, **fields):
        raise CodeRefused


def _live(purpose: Purpose, secret: str, now: datetime) -> "models.QuerySet[OneTimeCode]":
    return OneTimeCode.objects.filter(
        sha256=_hash(purpose, secret),
        purpose=purpose,
        used_at=None,
        expires_at__gt=now,
        integration__revoked_at=None,
    ).select_related("team", "owner__integration", "integration")


def _short() -> str:
    letters = "".join(secrets.choice(_ALPHABET) for _turn in range(_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def _typed(code: str) -> str:
    """As it was given out, however it was typed."""
    letters = "".join(character for character in code.upper() if character.isalnum())
    return f"{letters[:4]}-{letters[4:]}"


def _hash(purpose: Purpose, secret: str) -> str:
    """Keyed: so short a code could be found from its plain hash."""
    said = f"one-time/{purpose.value}/{secret}".encode("utf-8", "surrogatepass")
    return keys.print_of("", said)


def _record(action: str, owner: Owner, by: Actor, **details: str) -> None:
    record(
        owner.team_id, Entry(action, by, **target(owner), on_behalf_of=owner.pk, details=details)
    )
