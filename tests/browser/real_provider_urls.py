"""What `real_provider` serves, and the groups that its tokens tell of."""

from typing import Any

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from django.http import HttpResponse
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("favicon.ico", lambda _request: HttpResponse(status=204)),
    path("", include("allauth.idp.urls")),
]


class WithGroups(DefaultOIDCAdapter):  # type: ignore[misc]
    def get_claims(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_claims(*args, **kwargs), "groups": ["staff"]}
