"""A browser that goes to the company's sign-in and comes back."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.accounts.oidc_provider import Provider


def signs_in(provider: Provider, client: Client | None = None) -> tuple[Client, HttpResponse]:
    client, address = leaves(provider, client)
    return client, comes_back(client, provider.signs_in(address))


def leaves(provider: Provider, client: Client | None = None, next: str = "") -> tuple[Client, str]:
    """Where it is sent."""
    client = client or Client()
    answer = client.post(reverse("company_leave"), {"next": next} if next else {})
    assert answer.status_code == 302, answer.content.decode()
    return client, answer["Location"]


def comes_back(client: Client, said: Mapping[str, str]) -> HttpResponse:
    answer = client.get(reverse("company_callback"), dict(said))
    assert isinstance(answer, HttpResponse)
    return answer
