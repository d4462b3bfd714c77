"""Apps that use one agent for a person: OAuth with PKCE, for `/mcp` alone (docs/decisions/0016).

allauth keeps clients, and hashes of codes and refresh tokens. What a person grants is a `Token`;
its secret, which the app calls with, is renewed in its row.
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from allauth.idp.oidc.models import Client
from allauth.idp.oidc.models import Token as Secret
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, QueryDict
from django.http.request import split_domain_port
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memoryweb.accounts import tokens
from memoryweb.accounts.exceptions import NameRefused
from memoryweb.accounts.models import Team, Token, User, checked_name
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.record import Actor, lock
from memoryweb.language.secrets import own_token

CODE_KEPT = timedelta(minutes=1)
ACCESS_KEPT = timedelta(hours=1)
GRANT_DAYS = 90  # since it was renewed last
UNUSED_KEPT = timedelta(days=1)
READS = (Scope.MEMORY_READ.value,)
WRITES = (*READS, Scope.MEMORY_WRITE.value, Scope.FACTS_WRITE.value)
CODE, REFRESH = Secret.Type.AUTHORIZATION_CODE, Secret.Type.REFRESH_TOKEN

_LONGEST, _MOST_CALLBACKS = 2000, 10
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
_CALLBACK = re.compile(
    r"(?P<site>https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)"
    r"|http://(?:localhost|127\.0\.0\.1|\[::1\]))"
    r"(?P<port>:[0-9]{1,5})?(?P<path>[/?][!-\"$-\[\]-~]*)?"
)
_CHALLENGE = re.compile(r"[\w-]{43}", re.ASCII)


class Refused(Exception):
    """What is told to an app; `code` is one of the protocol's."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


class Unasked(Exception):
    """A request that names no app or no callback of its own: nobody is sent there."""


def site_of(request: HttpRequest) -> str | None:
    """Where this installation answers, if apps may sign in there: by https, or on this machine."""
    host = request.get_host()
    is_safe = request.is_secure() or split_domain_port(host)[0] in _LOOPBACK
    return f"{request.scheme}://{host}" if is_safe and settings.OAUTH_HOSTS else None


def resource_of(site: str) -> str:
    return f"{site}/mcp"


# Which app asks, and for what.


def register(name: object, callbacks: object) -> Client:
    """Of whoever asks. Raises Refused."""
    if not isinstance(callbacks, list) or not 1 <= len(callbacks) <= _MOST_CALLBACKS:
        raise Refused("invalid_redirect_uri", f"Send 1 to {_MOST_CALLBACKS} redirect_uris.")
    if not all(isinstance(one, str) and _is_listed(one) for one in callbacks):
        allowed = ", ".join(settings.OAUTH_HOSTS)
        raise Refused("invalid_redirect_uri", f"These may be called back: {allowed}.")
    named = name if isinstance(name, str) and name.strip() else host_of(callbacks[0])
    try:
        given = checked_name(named, longest=64)
    except NameRefused as refused:
        raise Refused("invalid_client_metadata", str(refused)) from None
    uris, scopes = "\n".join(callbacks), "\n".join(WRITES)
    kind = {"type": Client.Type.PUBLIC, "secret": "", "scopes": scopes}
    grants = "authorization_code\nrefresh_token"
    return Client.objects.create(name=given, redirect_uris=uris, grant_types=grants, **kind)


def host_of(callback: str) -> str:
    return origin_of(callback).partition("://")[2]


def origin_of(callback: str) -> str:
    found = _CALLBACK.fullmatch(callback)
    assert found
    return found["site"] + (found["port"] or "")


def _is_listed(callback: str) -> bool:
    found = _CALLBACK.fullmatch(callback)
    if found is None or len(callback) > _LONGEST:
        return False
    host = f"{found['host']}{found['port'] or ''}" if found["host"] else "loopback"
    return host in settings.OAUTH_HOSTS


def _is_same(asked: str, known: str) -> bool:
    """A program on this machine may listen on any port (RFC 8252)."""
    one, other = _CALLBACK.fullmatch(asked), _CALLBACK.fullmatch(known)
    if not one or not other or one["host"] or other["host"]:
        return asked == known
    return (one["site"], one["path"]) == (other["site"], other["path"])


@dataclass(frozen=True)
class Request:
    """An app that asks a person. `refused`: what it did wrong, told at its callback."""

    client: Client
    callback: str
    state: str
    challenge: str
    writes: bool
    refused: Refused | None


def read(params: QueryDict, site: str) -> Request:
    """Raises Unasked."""
    client = Client.objects.filter(pk=one_of(params, "client_id")).first()
    callback = one_of(params, "redirect_uri")
    known = client.get_redirect_uris() if client else []
    # Also what was listed when it registered must be listed still.
    if client is None or not _is_listed(callback) or not any(_is_same(callback, k) for k in known):
        raise Unasked
    asked = set(one_of(params, "scope").split()) & set(WRITES)
    return Request(
        client,
        callback,
        one_of(params, "state"),
        one_of(params, "code_challenge"),
        not asked or asked != set(READS),
        _wrong(params, resource_of(site)),
    )


def _wrong(params: QueryDict, resource: str) -> Refused | None:
    if one_of(params, "response_type") != "code":
        return Refused("unsupported_response_type", "The response_type must be “code”.")
    if params.getlist("resource") != [resource]:
        return Refused("invalid_target", f"The resource must be {resource}.")
    is_s256 = one_of(params, "code_challenge_method") == "S256"
    if not is_s256 or not _CHALLENGE.fullmatch(one_of(params, "code_challenge")):
        return Refused("invalid_request", "Send a code_challenge by the method S256.")
    return None


def one_of(params: QueryDict, name: str) -> str:
    """Empty for what comes twice, is too long, or can't be asked of a database."""
    values = params.getlist(name)
    is_one = len(values) == 1 and len(values[0]) <= _LONGEST and "\x00" not in values[0]
    return values[0] if is_one else ""


# What a person grants, and the secrets for it.


@dataclass(frozen=True)
class Issued:
    access: str
    refresh: str
    scopes: list[str]


@transaction.atomic
def grant(
    request: Request, *, team: Team, user: User, agent_id: UUID, writes: bool, by: Actor
) -> str:
    """A code for that app. Raises NotMember."""
    token, _unused = tokens.issue(
        team=team,
        by=by,
        name=request.client.name,
        scopes=WRITES if writes and request.writes else READS,
        user=user,
        days=GRANT_DAYS,
        client=request.client,
        agent_id=agent_id,
    )
    token.expires_at = timezone.now() + CODE_KEPT  # until the app comes for it
    token.save(update_fields=["expires_at"])
    proof = {"redirect_uri": request.callback, "challenge": request.challenge}
    return _secret(CODE, token, request.client, token.expires_at, **proof)


def exchange(kind: str, secret: str, client_id: str, proof: Mapping[str, str]) -> Issued | None:
    """Of a code or a refresh token, once; what comes again was stolen from somebody, and ends all.
    None: it is worth nothing."""
    held = Secret.objects.by_value(secret).filter(type=kind, client=client_id).first()
    token = _granted(held)
    if not held or not token or not _proves(held, proof):
        return None
    with transaction.atomic():
        lock(token.team_id)
        held.refresh_from_db()
        token.refresh_from_db()
        return _exchanged(held, token, timezone.now()) if token.is_live else None


def _exchanged(held: Secret, token: Token, now: datetime) -> Issued | None:
    current = token.team.memberships.current(now)
    member = current.filter(user=token.user_id, user__is_active=True).first()
    by = Actor("person", str(token.user_id), member.role if member else "", token.pk)
    if held.expires_at <= now:
        tokens.revoke_all(token.team, Token.objects.filter(pk=token.pk), by=by)
    # Whoever is no member today may be one again, and then the app goes on.
    if held.expires_at <= now or member is None:
        return None
    Secret.objects.filter(pk=held.pk).update(expires_at=now)
    until = now + timedelta(days=GRANT_DAYS)
    access = tokens.renew(token, by=by, secret_until=now + ACCESS_KEPT, expires_at=until)
    return Issued(access, _secret(REFRESH, token, held.client, until), token.scopes)


@transaction.atomic
def revoke(secret: str, client_id: str) -> None:
    """By the app itself, with either secret."""
    held = Secret.objects.by_value(secret).filter(type=REFRESH, client=client_id).first()
    by_access = Token.objects.filter(sha256=tokens.hashed(secret), client=client_id).first()
    if token := _granted(held) or by_access:
        by = Actor("person", str(token.user_id), token_id=token.pk)
        tokens.revoke_all(token.team, Token.objects.filter(pk=token.pk), by=by)


def purge(now: datetime) -> None:
    """Apps that nobody let in, and secrets that no app would send any more."""
    Secret.objects.filter(expires_at__lt=now - timedelta(days=GRANT_DAYS)).delete()
    Client.objects.filter(created_at__lt=now - UNUSED_KEPT, grants=None).delete()


def _secret(kind: str, token: Token, client: Client, expires_at: datetime, **proof: str) -> str:
    secret = own_token.generate()
    Secret.objects.create(
        type=kind,
        hash=tokens.hashed(secret),
        client=client,
        user_id=token.user_id,
        data={"token": str(token.pk)} | proof,
        expires_at=expires_at,
    )
    return secret


def _granted(held: Secret | None) -> Token | None:
    held_by = Token.objects.select_related("team")
    return held_by.filter(pk=held.data["token"]).first() if held else None


def _proves(held: Secret, proof: Mapping[str, str]) -> bool:
    """That who sends a code asked for it."""
    if held.type == REFRESH:
        return True
    digest = hashlib.sha256(proof["code_verifier"].encode()).digest()
    challenge = urlsafe_b64encode(digest).decode().rstrip("=")
    is_asker = constant_time_compare(challenge, held.data["challenge"])
    return is_asker and proof["redirect_uri"] == held.data["redirect_uri"]
