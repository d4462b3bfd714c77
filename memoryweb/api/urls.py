"""`/api/v1`: every route of the API, its OpenAPI description and its documentation page."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path
from django.views.decorators.csrf import csrf_exempt

from memoryweb.api import (
    agents,
    chat,
    context,
    conversations,
    domain_errors,
    dreaming,
    events,
    facts,
    files,
    forgetting,
    owners,
    reports,
    review,
    search,
    snapshots,
    tools,
)
from memoryweb.api.auth import Bearer
from memoryweb.api.pipeline import JSONParser, gate
from memoryweb.api.problems import NotFound, respond
from memoryweb.api.routing import DocumentedAPI
from memoryweb.api.schemas import OwnerFields, ProblemBody

ROUTERS = (
    agents.router,
    files.router,
    files.prompt_files_router,
    snapshots.router,
    tools.router,
    context.router,
    chat.router,
    search.router,
    conversations.last_prompt_router,  # its addresses end where those of conversations go on
    conversations.router,
    dreaming.router,
    reports.router,
    context.card_router,
    facts.router,
    forgetting.requests_router,
    review.proposals,
    dreaming.runs_router,
    owners.router,
    forgetting.router,  # DELETE of an owner takes what the addresses of owners leave
    events.router,
)

# Swagger's page sets style attributes and shows its icons as data: images.
_DOCS_POLICY = {"style-src": [SELF, UNSAFE_INLINE], "img-src": [SELF, "data:"]}

api = DocumentedAPI(
    title="memoryweb",
    version="1",
    description=(
        "Long-term memory for a team's agents. Send conversations, run dreams, read and write "
        "what is remembered. Every call carries a bearer token; an integration's token also "
        "says whom it acts for. Errors are problem+json (RFC 9457)."
    ),
    urls_namespace="api",
    auth=Bearer(),
    parser=JSONParser(),
    docs_decorator=csp_replace(_DOCS_POLICY),
)
api.documented = (ProblemBody, OwnerFields, conversations.MessageBatch)
api.add_decorator(gate, mode="view")
domain_errors.install(api)
for _router in ROUTERS:
    api.add_router("", _router)


@csrf_exempt
@login_not_required
def not_found(request: HttpRequest) -> HttpResponse:
    return respond(NotFound())


def _open(pattern: URLPattern) -> URLPattern:
    """Past the sign-in page: tokens are asked for by the gate, never cookies."""
    view: Callable[..., Any] = pattern.callback
    view.login_required = False  # type: ignore[attr-defined]
    return pattern


_patterns, _app, _namespace = api.urls
urlpatterns = [
    path(
        "v1/",
        (
            [_open(pattern) for pattern in _patterns if isinstance(pattern, URLPattern)],
            _app,
            _namespace,
        ),
    ),
    re_path(r"^.*$", not_found),
]
