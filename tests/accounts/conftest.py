from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider


@pytest.fixture
def provider(settings: Settings, db: None) -> Iterator[Provider]:
    """The settings name it; its group `staff` makes members of the team `harbour`."""
    cache.clear()
    started = Provider()
    settings.OIDC_ISSUER = started.issuer
    settings.OIDC_ORIGINS = [started.issuer]
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
    settings.OIDC_NAME = "Example ID"
    settings.OIDC_GROUPS = {"chiefs": "harbour:admin", "staff": "harbour:member"}
    settings.PRIVATE_HOSTS = ["127.0.0.1"]
    yield started
    started.stop()
