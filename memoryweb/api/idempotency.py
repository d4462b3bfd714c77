"""`Idempotency-Key`: a POST that is sent twice is done once and answered twice (SPEC §13)."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, models, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.api.auth import Caller
from memoryweb.api.exceptions import Invalid, Problem
from memoryweb.api.models import KEPT, Idempotency
from memoryweb.audit.record import lock

# A request that neither ended nor failed for this long died with its process.
ABANDONED = timedelta(minutes=5)


def once(request: HttpRequest, caller: Caller, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer, or repeat the answer that this token got for this key and body.

    The change and its answer are one transaction: whoever ends in between has done neither.
    Only successes are kept: a refused request changed nothing and may be sent again.
    """
    key = key_of(request)
    if key is None:
        return answer()
    claimed = _claim(caller, key, _fingerprint(request, caller))
    if claimed.status:
        return _stored(claimed)
    try:
        with transaction.atomic():
            # As in every unit the team's lock comes first, so that two writers can't deadlock.
            lock(caller.team.pk)
            response = answer()
            _keep(request, claimed, response)
    except BaseException:
        claimed.delete()
        raise
    return response


def _keep(request: HttpRequest, claimed: Idempotency, response: HttpResponse) -> None:
    # A secret that is shown once is kept nowhere; asked again, a new one is made.
    is_kept = not getattr(request, "keeps_no_answer", False)
    if response.status_code < 300 and is_kept:
        claimed.status, claimed.body = response.status_code, response.content.decode()
        # Fails when another request took the key over, having waited for this one too long.
        claimed.save(update_fields=["status", "body"])
    else:
        claimed.delete()


def key_of(request: HttpRequest) -> str | None:
    """Raises Invalid."""
    key = request.headers.get("Idempotency-Key")
    if key is None or request.method != "POST":
        return None
    if not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise Invalid("Idempotency-Key", _("Use 1 to 255 printable ASCII characters."))
    return key


def _fingerprint(request: HttpRequest, caller: Caller) -> str:
    """Includes the rights: an answer is not repeated to who would no longer be given it."""
    limits = caller.integration.agents + caller.integration.channels if caller.integration else []
    rights = f"{caller.role} {sorted(caller.scopes)} {sorted(limits)}"
    digest = hashlib.sha256()
    for part in (request.get_full_path().encode(), rights.encode(), request.body):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _claim(caller: Caller, key: str, fingerprint: str) -> Idempotency:
    """The row of this key: new (status 0), or one that holds the answer."""
    row = Idempotency(team=caller.team, token=caller.token, key=key, fingerprint=fingerprint)
    try:
        with transaction.atomic():
            _outdated(caller, key).delete()
            row.save(force_insert=True)
    except IntegrityError:
        return _answered(caller, key, fingerprint)
    return row


def _outdated(caller: Caller, key: str) -> models.QuerySet[Idempotency]:
    now = timezone.now()
    return caller.token.idempotency.filter(
        models.Q(created_at__lt=now - KEPT) | models.Q(status=0, created_at__lt=now - ABANDONED),
        key=key,
    )


def _answered(caller: Caller, key: str, fingerprint: str) -> Idempotency:
    row = caller.token.idempotency.filter(key=key).first()
    if row is None or not row.status:
        raise Problem(
            409,
            "idempotency_in_progress",
            _("The first request with this key is still running. Try again in a moment."),
            headers={"Retry-After": "1"},
        )
    if row.fingerprint != fingerprint:
        raise Problem(
            409,
            "idempotency_conflict",
            _("This key was already used for a different request. Use a new key."),
        )
    return row


def _stored(row: Idempotency) -> HttpResponse:
    response = HttpResponse(
        row.body, status=row.status, content_type="application/json; charset=utf-8"
    )
    response["Idempotency-Replayed"] = "true"
    return response
