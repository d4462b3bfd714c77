"""`Idempotency-Key`: a POST that is sent twice is done once and answered twice (SPEC §13)."""

import hashlib
from collections.abc import Callable

from django.db import models, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryweb.api.auth import Caller
from memoryweb.api.exceptions import Invalid, Problem
from memoryweb.api.models import KEPT, Idempotency
from memoryweb.audit.record import lock


def once(request: HttpRequest, caller: Caller, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """Answer, or repeat the answer that this token got for this key and body.

    The change and its answer are one transaction: whoever ends in between has done neither and
    leaves nothing, and who asks meanwhile waits for it. Only successes are kept: a refused request
    changed nothing and may be sent again.
    """
    if (row := _row(request, caller)) is None:
        return answer()
    with transaction.atomic():
        # As in every unit the team's lock comes first, so that two writers can't deadlock.
        lock(caller.team.pk)
        if earlier := _earlier(row):
            return _stored(earlier)
        response = answer()
        # A secret that is shown once is kept nowhere; asked again, a new one is made.
        if not getattr(request, "keeps_no_answer", False):
            _keep(row, response)
    return response


def in_parts(
    request: HttpRequest, caller: Caller, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """`once`, for what is done in many transactions, so that whoever else writes needn't wait for
    all of them, and is the same done twice: who ends in between does the rest when asked again."""
    if (row := _row(request, caller)) is None:
        return answer()
    if earlier := _earlier(row):
        return _stored(earlier)
    response = answer()
    with transaction.atomic():
        lock(caller.team.pk)
        if earlier := _earlier(row):
            return _stored(earlier)
        _keep(row, response)
    return response


def _row(request: HttpRequest, caller: Caller) -> Idempotency | None:
    """Raises Invalid."""
    if (key := key_of(request)) is None:
        return None
    fingerprint = _fingerprint(request, caller)
    return Idempotency(team=caller.team, token=caller.token, key=key, fingerprint=fingerprint)


def _keep(row: Idempotency, response: HttpResponse) -> None:
    if response.status_code < 300:
        row.status, row.body = response.status_code, response.content.decode()
        row.save(force_insert=True)


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


def _earlier(row: Idempotency) -> Idempotency | None:
    """What was answered within a day. A row without an answer is of a version that claimed keys."""
    rows = row.token.idempotency.filter(key=row.key)
    rows.filter(models.Q(created_at__lt=timezone.now() - KEPT) | models.Q(status=0)).delete()
    earlier = rows.first()
    if earlier and earlier.fingerprint != row.fingerprint:
        raise Problem(
            409,
            "idempotency_conflict",
            _("This key was already used for a different request. Use a new key."),
        )
    return earlier


def _stored(row: Idempotency) -> HttpResponse:
    response = HttpResponse(
        row.body, status=row.status, content_type="application/json; charset=utf-8"
    )
    response["Idempotency-Replayed"] = "true"
    return response
