"""An OpenID Connect provider on loopback that can be told to misbehave."""

import hashlib
import json
import secrets
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CLIENT_ID = "memoryweb"
CLIENT_SECRET = "a secret of 32 characters or more"
Claims = dict[str, Any]
Reply = tuple[int, bytes]


@cache
def key(_number: int) -> RSAPrivateKey:
    return generate_private_key(public_exponent=65537, key_size=2048)


class Provider:
    """`person` is who signs in there. `claims` change the ID token (None takes one away), `sign`
    signs it in another way, `instead` answers a path with something else, `slow` waits before."""

    def __init__(self) -> None:
        self.person: Claims = {
            "sub": "248289761001",
            "email": "nora@example.org",
            "email_verified": True,
            "name": "Nora North",
            "groups": ["staff"],
        }
        self.claims: Claims = {}
        self.sign: Callable[[Claims], str] = signed
        self.instead: dict[str, Reply | Callable[[], Reply]] = {}
        self.slow: dict[str, float] = {}
        self.in_token: set[str] = {"email", "email_verified", "name", "groups"}
        self.gives_refresh = False
        self.renews_id_token = True
        self.refresh = ""  # in the place of a token that works
        self.asked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._access: set[str] = set()
        self._refresh: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def signs_in(self, address: str) -> dict[str, str]:
        """What the provider sends the browser back with from where it was sent to."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = secrets.token_hex()
        self._codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def withdraw(self) -> None:
        self._refresh.clear()

    def without_userinfo(self) -> Reply:
        found = self._configuration()
        del found["userinfo_endpoint"]
        return _json(found)

    def id_token(self, nonce: str | None) -> str:
        now = int(time.time())
        claims = {
            **{name: value for name, value in self.person.items() if name in self.in_token},
            **{"iss": self.issuer, "sub": self.person["sub"], "aud": CLIENT_ID},
            **{"iat": now, "exp": now + 300},
            **({"nonce": nonce} if nonce else {}),
            **self.claims,
        }
        return self.sign({name: value for name, value in claims.items() if value is not None})

    def _answer(self, path: str, form: dict[str, str], bearer: str) -> Reply:
        self.asked.append(path)
        time.sleep(self.slow.get(path, 0))
        if other := self.instead.get(path):
            return other() if callable(other) else other
        if path == "/.well-known/openid-configuration":
            return _json(self._configuration())
        if path == "/jwks":
            return _json({"keys": [public_jwk()]})
        if path == "/userinfo":
            return _json(self.person) if bearer in self._access else (401, b"{}")
        return self._token(form)

    def _configuration(self) -> Claims:
        at = self.issuer
        return {
            "issuer": at,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "jwks_uri": f"{at}/jwks",
            "userinfo_endpoint": f"{at}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def _token(self, form: dict[str, str]) -> Reply:
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            return 401, b'{"error": "invalid_client"}'
        nonce = None
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self._refresh:
                return 400, b'{"error": "invalid_grant"}'
            self._refresh.discard(form["refresh_token"])
        else:
            asked = self._codes.pop(form["code"], None)
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
            if asked is None or (asked["code_challenge"], asked["redirect_uri"]) != (
                challenge,
                form["redirect_uri"],
            ):
                return 400, b'{"error": "invalid_grant"}'
            nonce = asked["nonce"]
        access, refresh = secrets.token_hex(), secrets.token_hex()
        self._access.add(access)
        answer = {"access_token": access, "token_type": "Bearer"}
        if nonce or self.renews_id_token:
            answer["id_token"] = self.id_token(nonce)
        if self.gives_refresh:
            self._refresh.add(refresh)
            answer["refresh_token"] = refresh
        if self.refresh:
            answer["refresh_token"] = self.refresh
        return _json(answer)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send({})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._send({name: values[0] for name, values in parse_qs(body).items()})

            def _send(self, form: dict[str, str]) -> None:
                bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
                status, body = provider._answer(urlsplit(self.path).path, form, bearer)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle(self) -> None:
                with suppress(OSError):  # the client has gone, as it should
                    super().handle()

            def log_message(self, *_args: object) -> None:
                pass

        return Handler


def signed(claims: Claims, number: int = 0) -> str:
    return jwt.encode(claims, key(number), "RS256", headers={"kid": "one"})


def unsigned(claims: Claims) -> str:
    return jwt.encode(claims, "", "none", headers={"kid": "one"})


def signed_with_the_secret(claims: Claims) -> str:
    return jwt.encode(claims, CLIENT_SECRET, "HS256", headers={"kid": "one"})


def signed_with_the_public_key(claims: Claims) -> str:
    """PyJWT won't, so by hand: HMAC under the text of a key that everybody can read."""
    head = _part({"alg": "HS256", "typ": "JWT", "kid": "one"}) + b"." + _part(claims)
    pem = key(0).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    digest = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(head, pem)
    return (head + b"." + urlsafe_b64encode(digest).rstrip(b"=")).decode()


def signed_by_a_stranger(claims: Claims) -> str:
    return signed(claims, 1)


def public_jwk(number: int = 0) -> Claims:
    jwk: Claims = jwt.algorithms.RSAAlgorithm.to_jwk(key(number).public_key(), as_dict=True)
    return jwk | {"kid": "one", "use": "sig", "alg": "RS256"}


def _part(value: Claims) -> bytes:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def _json(value: object) -> Reply:
    return 200, json.dumps(value).encode()
