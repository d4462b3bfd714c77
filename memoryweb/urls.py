from django.urls import include, path

from memoryweb.api.mcp.view import mcp
from memoryweb.web import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("api/", include("memoryweb.api.urls")),
    path("mcp", mcp, name="mcp"),
    path("", include("memoryweb.web.urls")),
    path("accounts/", include("memoryweb.accounts.urls")),
]

handler400 = "memoryweb.web.errors.bad_request"
handler404 = "memoryweb.web.errors.not_found"
handler500 = "memoryweb.web.errors.server_error"
