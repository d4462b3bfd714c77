"""`/api/v1`: every route of the API, its OpenAPI description and its documentation page."""

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path

from memoryweb.api import (
    agents,
    chat,
    completions,
    context,
    conversations,
    domain_errors,
    dreaming,
    events,
    facts,
    files,
    forgetting,
    memory_tests,
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
    completions.router,
    search.router,
    conversations.last_prompt_router,  # its addresses end where those of conversations go on
    conversations.router,
    dreaming.router,
    reports.router,
    context.card_router,
    facts.router,
    memory_tests.router,
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
    docs_decorator=lambda view: login_not_required(csp_replace(_DOCS_POLICY)(view)),
)
api.documented = (ProblemBody, OwnerFields, conversations.MessageBatch)
api.add_decorator(gate, mode="view")
domain_errors.install(api)
for _router in ROUTERS:
    api.add_router("", _router)


def not_found(request: HttpRequest) -> HttpResponse:
    return respond(NotFound())


urlpatterns = [path("v1/", api.urls), re_path(r"^.*$", not_found)]
