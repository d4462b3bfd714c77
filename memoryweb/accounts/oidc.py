"""OpenID Connect, as its client: the code flow with PKCE, of which nothing is believed unchecked.

allauth's own client skips the signature of an ID token that comes from the token endpoint, sends no
nonce, and calls whatever address it is told.
"""

import hashlib
import json
import logging
import secrets
import ssl
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
import jwt
from django.conf import settings
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.core import outbound

logger = logging.getLogger(__name__)

# No "none", and no HS256: whoever reads our client secret, or a public key, could sign with those.
ALGORITHMS = {"EdDSA", *(f"{k}{bits}" for k in ("RS", "PS", "ES") for bits in (256, 384, 512))}
SECONDS = 10.0  # for all calls of one sign-in
MOST = 512 * 1024  # bytes of one answer
LEEWAY = 60  # seconds that two clocks may differ
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")

SENTENCES = {
    "unreachable": _("{name} didn't answer in time, or not as expected. Try again in a minute."),
    "setup": _("memoryweb and {name} aren't set up for each other. Tell whoever runs memoryweb."),
    "state": _("This sign-in took too long or began in another browser. Start again."),
    "denied": _("{name} didn't let you in. Start again, or ask who runs it."),
    "code": _("{name} no longer accepts this sign-in. Start again."),
    "unreadable": _("The answer of {name} can't be read. Tell whoever runs memoryweb."),
    "unsigned": _("The answer of {name} isn't signed in a safe way. Tell whoever runs memoryweb."),
    "signature": _("Nobody knows who signed the answer of {name}. Tell whoever runs memoryweb."),
    "expired": _("The answer of {name} is out of date. Start again, or check the clocks."),
    "audience": _("The answer of {name} is for another program. Tell whoever runs memoryweb."),
    "issuer": _("The answer comes from somebody else than {name}. Tell whoever runs memoryweb."),
    "nonce": _("The answer of {name} belongs to another sign-in. Start again."),
    "subject": _("{name} doesn't say who you are. Tell whoever runs memoryweb."),
    "groups": _("{name} lists your groups in an unknown way. Tell whoever runs memoryweb."),
    "unverified": _("{name} hasn't verified your e-mail address. Verify it there, then come back."),
    "taken": _(
        "There is an account with your e-mail address already. Sign in with its password, then"
        " choose “Connect” on your profile. Without that password, ask whoever runs memoryweb."
    ),
    "linked": _("This account of {name} belongs to somebody else here."),
}
_CODES: dict[type[Exception], str] = {
    jwt.ExpiredSignatureError: "expired",
    jwt.ImmatureSignatureError: "expired",
    jwt.InvalidAudienceError: "audience",
    jwt.InvalidIssuerError: "issuer",
    jwt.exceptions.InvalidSubjectError: "subject",
    jwt.InvalidSignatureError: "signature",
}


class SignInRefused(AccountsRefused):
    """Nobody is signed in by this answer, and no account is made."""

    def __init__(self, code: str) -> None:
        self.code = code
        Exception.__init__(self, str(SENTENCES[code]).format(name=settings.OIDC_NAME))
        logger.warning("A sign-in with %s was refused: %s", settings.OIDC_ISSUER, code)


@dataclass(frozen=True)
class Claims:
    """Who somebody is, proven by the provider."""

    subject: str
    email: str  # verified; empty: none is
    name: str
    groups: frozenset[str]
    refresh: str  # a token to ask again with; empty: none


def begin(callback: str) -> tuple[str, dict[str, str]]:
    """Where the person goes, and what their session keeps for `finish`. Raises SignInRefused."""
    found = _discovered(time.monotonic() + SECONDS)
    kept = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
    digest = hashlib.sha256(kept["verifier"].encode()).digest()
    query = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": callback,
        "scope": settings.OIDC_SCOPES,
        "state": kept["state"],
        "nonce": kept["nonce"],
        "code_challenge": urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    endpoint = found["authorization_endpoint"]
    if not endpoint.startswith(tuple(f"{origin}/" for origin in settings.OIDC_ORIGINS)):
        logger.error("Name the origin of %s in MEMORYWEB_OIDC_ORIGINS.", endpoint)
        raise SignInRefused("setup")
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}", kept


def finish(said: Mapping[str, str], kept: Mapping[str, str], callback: str) -> Claims:
    """Who came back with what the provider `said`. Raises SignInRefused."""
    if not constant_time_compare(said.get("state", ""), kept["state"]):
        raise SignInRefused("state")
    if said.get("iss", settings.OIDC_ISSUER) != settings.OIDC_ISSUER:  # RFC 9207
        raise SignInRefused("issuer")
    if not said.get("code"):
        raise SignInRefused("denied")
    grant = {
        "grant_type": "authorization_code",
        "code": said["code"],
        "redirect_uri": callback,
        "code_verifier": kept["verifier"],
    }
    return _claims(grant, nonce=kept["nonce"])


def refresh(token: str, subject: str) -> Claims:
    """Whether the provider still knows them. Raises SignInRefused."""
    return _claims({"grant_type": "refresh_token", "refresh_token": token}, subject=subject)


def _claims(grant: dict[str, str], *, nonce: str = "", subject: str = "") -> Claims:
    deadline = time.monotonic() + SECONDS
    found = _discovered(deadline)
    answer = _granted(found, grant, deadline)
    claims: dict[str, Any] = {"sub": subject} if subject else {}
    if answer.get("id_token") or not subject:
        claims = _proven(answer.get("id_token"), _fetched(found["jwks_uri"], deadline))
        if nonce and claims.get("nonce") != nonce:
            raise SignInRefused("nonce")
    if "userinfo_endpoint" in found:
        bearer = {"Authorization": f"Bearer {answer.get('access_token')}"}
        more = _fetched(found["userinfo_endpoint"], deadline, headers=bearer)
        if more.get("sub") != claims.get("sub"):
            raise SignInRefused("subject")
        if "email" in claims:
            more.pop("email_verified", None)  # it speaks of the address there
        claims = more | claims
    known = claims.get("sub", "")
    if not (1 <= len(known) <= 255 and known.isprintable() and subject in ("", known)):
        raise SignInRefused("subject")
    is_verified = claims.get("email_verified", settings.OIDC_EMAILS_VERIFIED)
    email, name, token = claims.get("email"), claims.get("name"), answer.get("refresh_token")
    return Claims(
        subject=known,
        email=email if isinstance(email, str) and is_verified in (True, "true") else "",
        name=" ".join(name.split())[:120] if isinstance(name, str) and name.isprintable() else "",
        groups=_groups(claims, is_told=bool(answer.get("id_token"))),
        refresh=token if isinstance(token, str) and token.isascii() else "",
    )


def _groups(claims: Mapping[str, Any], *, is_told: bool) -> frozenset[str]:
    """An ID token without any says that there are none; another answer doesn't tell."""
    is_told = is_told or not settings.OIDC_GROUPS
    said = claims.get(settings.OIDC_GROUPS_CLAIM, [] if is_told else None)
    if not isinstance(said, list) or not all(isinstance(group, str) for group in said):
        raise SignInRefused("groups")
    return frozenset(said)


def _proven(token: object, keys: dict[str, Any]) -> dict[str, Any]:
    """The claims of an ID token (OpenID Connect Core 3.1.3.7)."""
    if not isinstance(token, str):
        raise SignInRefused("unreadable")
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise SignInRefused("unsigned")
        published = jwt.PyJWKSet.from_dict(keys).keys
        usable = [k for k in published if not {k.public_key_use, k.key_type} & {"enc", "oct"}]
        named = [key for key in usable if key.key_id == header.get("kid")]
        if not named and ("kid" in header or len(usable) != 1):
            raise SignInRefused("signature")
        claims: dict[str, Any] = jwt.decode(
            token,
            (named or usable)[0].key,
            algorithms=[header["alg"]],
            audience=settings.OIDC_CLIENT_ID,
            issuer=settings.OIDC_ISSUER,
            leeway=LEEWAY,
            options={"require": ["iss", "aud", "exp", "iat"]},
        )
    # PyJWT lets the last four through, of odd keys and numbers.
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise SignInRefused(_CODES.get(type(error), "unreadable")) from None
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
        raise SignInRefused("audience")
    return claims


def _discovered(deadline: float) -> dict[str, str]:
    """The provider's endpoints, as it publishes them."""
    issuer = settings.OIDC_ISSUER
    said = _fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration", deadline)
    if said.get("issuer") != issuer:
        raise SignInRefused("issuer")
    found = {name: said[name] for name in _ENDPOINTS if isinstance(said.get(name), str)}
    if not found.keys() >= {*_ENDPOINTS[:3]}:
        raise SignInRefused("setup")
    methods = said.get("token_endpoint_auth_methods_supported")
    return found | {"method": "post" if "client_secret_post" in str(methods) else "basic"}


def _granted(found: Mapping[str, str], grant: dict[str, str], deadline: float) -> dict[str, Any]:
    client, secret = settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET
    if secret and found["method"] == "basic":
        auth = (quote(client, safe=""), quote(secret, safe=""))
        return _fetched(found["token_endpoint"], deadline, data=grant, auth=auth)
    form = grant | {"client_id": client} | ({"client_secret": secret} if secret else {})
    return _fetched(found["token_endpoint"], deadline, data=form)


def _fetched(url: str, deadline: float, **sent: Any) -> dict[str, Any]:
    """A JSON object of the provider's; what is `sent` is for httpx. Raises SignInRefused."""
    lookup = partial(outbound.public_addresses, allowed=settings.PRIVATE_HOSTS)
    method, body = "POST" if "data" in sent else "GET", b""
    try:
        parts = urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in settings.PRIVATE_HOSTS:
            raise SignInRefused("setup")
        with outbound.client(deadline, lookup=lookup) as client:
            client.headers.update({"Accept": "application/json", "Accept-Encoding": "identity"})
            with client.stream(method, url, **sent) as answer:
                for part in answer.iter_raw():
                    body += part
                    if len(body) > MOST:
                        raise SignInRefused("unreachable")
        said = json.loads(body)
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, ValueError, RecursionError) as error:
        logger.warning("%s: %s", url, error)
        raise SignInRefused("unreachable") from None
    if method == "POST" and answer.status_code in {400, 401} and isinstance(said, dict):
        raise SignInRefused("code" if said.get("error") == "invalid_grant" else "setup")
    if answer.status_code != 200 or not isinstance(said, dict):
        raise SignInRefused("unreachable")
    return said
