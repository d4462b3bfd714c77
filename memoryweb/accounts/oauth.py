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
from memoryweb.accounts.models import Membership, Token
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.record import SYSTEM, Actor, lock
from memoryweb.language.secrets import own_token

CODE_KEPT = timedelta(minutes=1)
ACCESS_KEPT = timedelta(hours=1)
GRANT_DAYS = 90  # since it was renewed last; after `LONGEST_DAYS` the person is asked again
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
    """With one of the protocol's codes, and a sentence."""

    @property
    def told(self) -> dict[str, str]:
        return dict(zip(("error", "error_description"), self.args, strict=True))


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
    if not all(isinstance(one, str) and _listed(one) for one in callbacks):
        allowed = ", ".join(settings.OAUTH_HOSTS)
        raise Refused("invalid_redirect_uri", f"These may be called back: {allowed}.")
    shown = "".join(filter(str.isprintable, name)) if isinstance(name, str) else ""
    named = shown.strip()[:64] or callbacks[0][:64]
    kind = {"type": Client.Type.PUBLIC, "secret": "", "scopes": "\n".join(WRITES)}
    return Client.objects.create(name=named, redirect_uris="\n".join(callbacks), **kind)


def _listed(callback: str) -> str:
    """Without the port of a program on this machine, which may listen on any (RFC 8252); empty
    where it may not be called back."""
    found = _CALLBACK.fullmatch(callback)
    if found is None or len(callback) > _LONGEST:
        return ""
    host = f"{found['host']}{found['port'] or ''}" if found["host"] else "loopback"
    whole = callback if found["host"] else f"{found['site']}{found['path'] or ''}"
    return whole if host in settings.OAUTH_HOSTS else ""


@dataclass(frozen=True)
class Request:
    """An app that asks a person."""

    client: Client
    site: str
    params: QueryDict

    def sent(self, name: str) -> str:
        return one_of(self.params, name)

    @property
    def origin(self) -> str:
        """Where the answer goes."""
        found = _CALLBACK.fullmatch(self.sent("redirect_uri"))
        return found["site"] + (found["port"] or "") if found else ""

    @property
    def writes(self) -> bool:
        asked = set(self.sent("scope").split()) & set(WRITES)
        return asked != set(READS)

    def check(self) -> None:
        """Raises Refused."""
        if self.sent("response_type") != "code":
            raise Refused("unsupported_response_type", "The response_type must be “code”.")
        if self.params.getlist("resource") != [resource_of(self.site)]:
            raise Refused("invalid_target", f"The resource must be {resource_of(self.site)}.")
        is_s256 = self.sent("code_challenge_method") == "S256"
        if not is_s256 or not _CHALLENGE.fullmatch(self.sent("code_challenge")):
            raise Refused("invalid_request", "Send a code_challenge by the method S256.")


def read(params: QueryDict, site: str) -> Request:
    """Raises Unasked."""
    client = Client.objects.filter(pk=one_of(params, "client_id")).first()
    known = map(_listed, client.get_redirect_uris()) if client else ()
    callback = _listed(one_of(params, "redirect_uri"))
    if not client or not callback or callback not in known:
        raise Unasked
    return Request(client, site, params)


def one_of(params: QueryDict, name: str) -> str:
    """Empty for what comes twice, is too long, or can't be asked of a database."""
    values = params.getlist(name)
    is_one = len(values) == 1 and len(values[0]) <= _LONGEST and "\x00" not in values[0]
    return values[0] if is_one else ""


# What a person grants, and the secrets for it.


@transaction.atomic
def grant(request: Request, *, member: Membership, agent_id: UUID, writes: bool) -> str:
    """A code for that app. Raises NotMember, and Unasked where the app was purged meanwhile."""
    known = Client.objects.select_for_update(no_key=True).filter(pk=request.client.pk)
    if not known.exists():
        raise Unasked
    token, _unused = tokens.issue(
        team=member.team,
        by=Actor("person", str(member.user_id), member.role),
        name=request.client.name,
        scopes=WRITES if writes and request.writes else READS,
        user=member.user,
        days=GRANT_DAYS,
        client=request.client,
        agent_id=agent_id,
    )
    token.expires_at = timezone.now() + CODE_KEPT  # until the app comes for it
    token.save(update_fields=["expires_at"])
    proof = {name: request.sent(name) for name in ("redirect_uri", "code_challenge")}
    return _secret(CODE, token, token.expires_at, proof)


def exchange(
    kind: str, secret: str, client_id: str, proof: Mapping[str, str]
) -> tuple[Token, str, str] | None:
    """A new access token and refresh token for a code or a refresh token, once; what comes again
    was stolen from somebody, and ends the grant. None: it is worth nothing."""
    held = Secret.objects.by_value(secret).filter(type=kind, client=client_id).first()
    granted = Token.objects.select_related("team")
    token = granted.filter(pk=held.data["token"]).first() if held else None
    if not held or not token or not (kind == REFRESH or _proves(held, proof)):
        return None
    with transaction.atomic():
        lock(token.team_id)
        held.refresh_from_db()
        token.refresh_from_db()
        return _exchanged(held, token, timezone.now()) if token.is_live else None


def _exchanged(held: Secret, token: Token, now: datetime) -> tuple[Token, str, str] | None:
    current = token.team.memberships.current(now)
    member = current.filter(user=token.user_id, user__is_active=True).first()
    by = Actor("person", str(token.user_id), member.role if member else "", token.pk)
    if held.expires_at <= now:
        tokens.revoke(token=token, by=SYSTEM, reason_code="replayed")
        return None
    if member is None:  # who may be one again: then the app goes on
        return None
    # Well before now, whatever another host's clock says.
    Secret.objects.filter(pk=held.pk).update(expires_at=now - CODE_KEPT)
    longest = token.created_at + timedelta(days=tokens.LONGEST_DAYS)
    until = min(now + timedelta(days=GRANT_DAYS), longest)
    access = tokens.renew(token, by=by, secret_until=now + ACCESS_KEPT, expires_at=until)
    return token, access, _secret(REFRESH, token, until, {})


def purge(now: datetime) -> None:
    """Apps that nobody let in, and secrets that no app would send any more."""
    Secret.objects.filter(expires_at__lt=now - timedelta(days=GRANT_DAYS)).delete()
    Client.objects.filter(created_at__lt=now - UNUSED_KEPT, grants=None).delete()


def _secret(kind: str, token: Token, expires_at: datetime, proof: Mapping[str, str]) -> str:
    secret, data = own_token.generate(), {"token": str(token.pk), **proof}
    row = Secret(type=kind, client_id=token.client_id, user_id=token.user_id, data=data)
    row.set_value(secret)
    row.expires_at = expires_at
    row.save()
    return secret


def _proves(held: Secret, proof: Mapping[str, str]) -> bool:
    """That who sends a code asked for it."""
    digest = hashlib.sha256(proof["code_verifier"].encode()).digest()
    challenge = urlsafe_b64encode(digest).decode().rstrip("=")
    is_asker = constant_time_compare(challenge, held.data["code_challenge"])
    return is_asker and proof["redirect_uri"] == held.data["redirect_uri"]
