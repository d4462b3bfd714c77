"""Global memory as a team reads it, beside the agent that is given it."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from memoryweb.agents.readers import Reader
from memoryweb.memory.global_memory import global_text
from memoryweb.web import markdown
from memoryweb.web.access import TeamRequest, find_agent, team_view
from memoryweb.web.highlighting import marked_blocks
from memoryweb.web.htmx import show


@require_GET
@team_view()
def global_file(
    request: TeamRequest, agent_id: UUID, path: str, number: int | None = None
) -> HttpResponse:
    agent = find_agent(request, agent_id)
    found = global_text(Reader(agent), path, number)
    if found is None:
        raise Http404
    rendered = markdown.render(found.content)
    context = {
        "agent": agent,
        "tab": "files",
        "file": found,
        "blocks": marked_blocks(rendered.blocks, request.GET.get("q", "")),
        "is_cut": rendered.is_cut,
    }
    return show(request, "files/global.html", context)
