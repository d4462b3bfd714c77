from django.urls import include, path, re_path

from memoryweb.api import oauth
from memoryweb.api.completions import at_root
from memoryweb.api.mcp.view import mcp
from memoryweb.api.mem0 import mem0

urlpatterns = [
    path("api/", include("memoryweb.api.urls")),
    path("mcp", mcp, name="mcp"),
    path(".well-known/oauth-protected-resource/mcp", oauth.resource, name="oauth_resource"),
    path(".well-known/oauth-authorization-server", oauth.server, name="oauth_server"),
    # Where clients look that were started anew and know of no metadata.
    path("register", oauth.register, name="oauth_register"),
    path("token", oauth.token, name="oauth_token"),
    path("mem0/<uuid:agent_id>/<path:rest>", mem0, name="mem0_of_agent"),
    path("mem0/<path:rest>", mem0, name="mem0"),
    path("v1/chat/completions", at_root, name="complete_chat"),
    re_path("^(?P<rest>v[123]/.+)$", mem0, name="mem0_of_host"),
    path("", include("memoryweb.web.urls")),
    path("accounts/", include("memoryweb.accounts.urls")),
]

handler400 = "memoryweb.web.errors.bad_request"
handler404 = "memoryweb.web.errors.not_found"
handler500 = "memoryweb.web.errors.server_error"
