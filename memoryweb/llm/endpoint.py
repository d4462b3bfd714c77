"""Which model a role talks to, and whether it may be talked to at all."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urlsplit
from uuid import UUID

from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.utils.translation import gettext as _

from memoryweb.audit import keys
from memoryweb.llm.exceptions import HostRefused, ModelError, NotConfigured
from memoryweb.llm.models import INSTALLATION, TeamEmbedding, TeamModel

PUBLIC_BASE_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
}


@dataclass(frozen=True)
class Endpoint:
    """`is_public`: it may only be at public addresses. Prices are of a million tokens."""

    provider: str
    url: str
    model: str
    key: str = field(repr=False)
    price_in: float = 0
    price_out: float = 0
    is_public: bool = False

    def cost_micros(self, tokens_in: int, tokens_out: int) -> int:
        """A price for a million tokens in units is a price for one token in millionths."""
        return round(tokens_in * self.price_in + tokens_out * self.price_out)


def configured(team_id: UUID, *, local_only: bool = False) -> bool:
    """Whether the team has a model that may be asked, of an agent for local models only as well."""
    found = TeamModel.objects.filter(team_id__in=(team_id, INSTALLATION)).only(
        "team_id", "choice", "base_url"
    )
    rows = {row.team_id: row for row in found}
    row, here, url = rows.get(team_id), rows.get(INSTALLATION), ""
    if row is None or row.choice == TeamModel.Choice.INSTALLATION:
        url = _installed_url() if is_set() else here.base_url if here else ""
    elif row.choice == TeamModel.Choice.OWN:
        url = row.base_url
    return bool(url) and (not local_only or is_local(url))


def may_have(agent: Any) -> bool:
    """False where no model was set up anywhere: of an agent that was found with that, unasked."""
    return is_set() or getattr(agent, "has_endpoint", True)


def is_set() -> bool:
    return bool(settings.MODEL_PROVIDER and settings.MODELS.get("default"))


def is_local(url: str) -> bool:
    """The operator lists its host as one that text doesn't leave."""
    return _is_listed(urlsplit(url), settings.LOCAL_MODEL_HOSTS)


def endpoint_for(team_id: UUID, role: str, *, local_only: bool) -> Endpoint:
    """What the team has chosen, looked up at each call, for an agent that may be for local models
    only. Raises NotConfigured or HostRefused."""
    found = _chosen(team_id, role)
    check_local(found, local_only=local_only)
    return found


def check_local(endpoint: Endpoint, *, local_only: bool) -> None:
    """Raises HostRefused."""
    if local_only and not is_local(endpoint.url):
        raise HostRefused(
            _("This agent asks local models only, and the team's model is on another host.")
        )


def _chosen(team_id: UUID, role: str) -> Endpoint:
    row = TeamModel.objects.filter(team_id=team_id).first()
    if row is None or row.choice == TeamModel.Choice.INSTALLATION:
        return installation_endpoint(role)
    if row.choice == TeamModel.Choice.NONE:
        raise NotConfigured(_("The team has turned models off."))
    return own_endpoint(row)


def installation_endpoint(role: str) -> Endpoint:
    """By the settings, or else as a superuser has set it up. A role without a model of its own
    uses the default; `embedding` has its own endpoint."""
    if role == TeamEmbedding.role:
        return _installation_embedding()
    provider = settings.MODEL_PROVIDER
    model = settings.MODELS.get(role) or settings.MODELS.get("default")
    if not provider or not model:
        entered = TeamModel.objects.filter(team_id=INSTALLATION).exclude(base_url="")
        if not provider and not model and (row := entered.first()):
            check_host(row.base_url)
            return _entered(row, is_public=False)
        raise NotConfigured(
            _(
                "No model is configured. "
                "Set MEMORYWEB_MODEL_PROVIDER and MEMORYWEB_MODEL to use one."
            )
        )
    base = _installed_url()
    check_host(base)
    prices = settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT
    key = _key("MODEL_KEY")
    return Endpoint(provider, base + _path(provider, base), model, key, *prices)


def _installed_url() -> str:
    url: str = settings.MODEL_BASE_URL or PUBLIC_BASE_URLS[settings.MODEL_PROVIDER]
    return url.rstrip("/")


def _installation_embedding() -> Endpoint:
    base, model = settings.EMBEDDING_BASE_URL.rstrip("/"), settings.EMBEDDING_MODEL
    if not base or not model:
        raise NotConfigured(
            _(
                "No embedding endpoint is configured. Set MEMORYWEB_EMBEDDING_BASE_URL and "
                "MEMORYWEB_EMBEDDING_MODEL to use one."
            )
        )
    check_host(base)
    provider, key = TeamEmbedding.provider, _key("EMBEDDING_KEY")
    return Endpoint(provider, base + _path(provider, base), model, key, settings.EMBEDDING_PRICE)


def own_endpoint(row: TeamModel | TeamEmbedding) -> Endpoint:
    """Whatever the team has chosen to use. Raises NotConfigured or HostRefused."""
    if not row.base_url:
        raise NotConfigured(_("The team has not set up a model of its own."))
    check_own_host(row.base_url)
    return _entered(row, is_public=True)


def _entered(row: TeamModel | TeamEmbedding, *, is_public: bool) -> Endpoint:
    key = keys.unseal(bytes(row.sealed_key), row.bound_to) if row.has_key else ""
    if key is None:
        raise NotConfigured(_("The model's key can't be read any more. Enter it again."))
    url = row.base_url + _path(row.provider, row.base_url)
    prices = row.price_in, row.price_out
    return Endpoint(row.provider, url, row.model, key, *prices, is_public=is_public)


def check_own_host(base_url: str) -> None:
    """Raises HostRefused: a team chooses among the operator's hosts and never sends in the clear.

    What the host's name resolves to is looked at when it is called.
    """
    if not settings.MODEL_HOSTS:
        raise HostRefused(
            _("No hosts are listed in MEMORYWEB_MODEL_HOSTS, so teams can't use their own model.")
        )
    check_host(base_url)
    if not base_url.startswith("https://"):
        raise HostRefused(_("The base URL must begin with https://."))


def check_host(base_url: str) -> None:
    """Raises HostRefused for a URL that no text may be sent to."""
    try:
        url = urlsplit(base_url)
        listed = _is_listed(url, settings.MODEL_HOSTS)
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
    if url.scheme == "http" and not listed and not is_loopback(url.hostname):
        raise HostRefused(
            _(
                "The model endpoint is not on this machine, so its URL must begin with https://, "
                "or its host be listed in MEMORYWEB_MODEL_HOSTS."
            )
        )


def _path(provider: str, base: str) -> str:
    if provider == TeamEmbedding.provider:
        return "/embeddings"
    if provider == "openai":
        return "/chat/completions"
    return "/messages" if base.endswith("/v1") else "/v1/messages"


def _key(setting: str) -> str:
    key: str = getattr(settings, setting).strip()
    if not is_header_value(key):
        said = _("The key in {setting} contains invalid characters.")
        raise NotConfigured(said.format(setting=f"MEMORYWEB_{setting}"))
    return key


def is_header_value(key: str) -> bool:
    return key.isascii() and all(one.isprintable() and one != " " for one in key)


def _is_listed(url: SplitResult, hosts: Sequence[str]) -> bool:
    names = {url.hostname, f"{url.hostname}:{url.port}"}
    return any(entry.strip().lower().rstrip(".") in names for entry in hosts)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@register("model")
def check_model(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A model that is half configured stops the start instead of failing every night."""
    is_set = {
        "default": settings.MODEL_PROVIDER,
        "embedding": settings.EMBEDDING_BASE_URL or settings.EMBEDDING_MODEL,
    }
    found: list[CheckMessage] = []
    for role in filter(is_set.__getitem__, is_set):
        try:
            installation_endpoint(role)
        except ModelError as error:
            found.append(Error(str(error), id="llm.E001"))
    return found
