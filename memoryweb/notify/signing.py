"""Standard Webhooks: who sent it, when, and that it is whole."""

import base64
import hashlib
import hmac
from datetime import datetime

from django.utils.crypto import salted_hmac

from memoryweb.audit import keys
from memoryweb.notify.models import Delivery, Endpoint

_SALT = "memoryweb.webhooks"


def secret_of(endpoint: Endpoint) -> str:
    """As its receiver is given it, once."""
    return "whsec_" + base64.b64encode(_key(endpoint)).decode()


def headers_of(delivery: Delivery, now: datetime) -> dict[str, str]:
    at = str(int(now.timestamp()))
    signed = f"{delivery.message_id}.{at}.{delivery.body}".encode()
    digest = hmac.new(_key(delivery.endpoint), signed, hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "memoryweb",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def _key(endpoint: Endpoint) -> bytes:
    said = f"{endpoint.pk}:{endpoint.generation}"
    secret = keys.ring().secrets[endpoint.key_number]
    return salted_hmac(_SALT, said, secret=secret, algorithm="sha256").digest()
