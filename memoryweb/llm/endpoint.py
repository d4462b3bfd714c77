"""Which model a role talks to, and whether it may be talked to at all."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import HostRefused, NotConfigured

PUBLIC_BASE_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
}


@dataclass(frozen=True)
class Endpoint:
    provider: str
    url: str
    model: str
    key: str = field(repr=False)


def endpoint_for(role: str) -> Endpoint:
    """Raises NotConfigured or HostRefused. A role without a model of its own uses the default."""
    provider = settings.MODEL_PROVIDER
    model = settings.MODELS.get(role) or settings.MODELS.get("default")
    if not provider or not model:
        raise NotConfigured(
            _(
                "No model is configured. "
                "Set MEMORYWEB_MODEL_PROVIDER and MEMORYWEB_MODEL to use one."
            )
        )
    base = (settings.MODEL_BASE_URL or PUBLIC_BASE_URLS[provider]).rstrip("/")
    check_host(base)
    return Endpoint(provider, base + _path(provider, base), model, _key())


def check_host(base_url: str) -> None:
    """Raises HostRefused for a URL that no text may be sent to."""
    try:
        url = urlsplit(base_url)
        listed = _is_listed(url)
    except ValueError:
        raise HostRefused(_("The model endpoint's base URL is not a URL.")) from None
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise HostRefused(_("The model endpoint's base URL must begin with https:// and a host."))
    if url.username or url.password or url.query or url.fragment:
        raise HostRefused(
            _("The model endpoint's base URL must not contain a password, query or fragment.")
        )
    if settings.MODEL_HOSTS and not listed:
        raise HostRefused(
            _("The host of the model endpoint is not one of those in MEMORYWEB_MODEL_HOSTS.")
        )
    if url.scheme == "http" and not listed and not _is_loopback(url.hostname):
        raise HostRefused(
            _(
                "The model endpoint is not on this machine, so its URL must begin with https://, "
                "or its host be listed in MEMORYWEB_MODEL_HOSTS."
            )
        )


def _path(provider: str, base: str) -> str:
    if provider == "openai":
        return "/chat/completions"
    return "/messages" if base.endswith("/v1") else "/v1/messages"


def _key() -> str:
    key: str = settings.MODEL_KEY.strip()
    if not key.isascii() or any(
        not character.isprintable() or character == " " for character in key
    ):
        raise NotConfigured(_("The key in MEMORYWEB_MODEL_KEY contains invalid characters."))
    return key


def _is_listed(url: SplitResult) -> bool:
    names = {url.hostname, f"{url.hostname}:{url.port}"}
    return any(entry.strip().lower().rstrip(".") in names for entry in settings.MODEL_HOSTS)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
