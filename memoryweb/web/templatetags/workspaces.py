"""Links inside a workspace: they keep the owner whose files are looked at."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag(takes_context=True)
def workspace_url(context: Context, name: str, *place: Any, **asked: Any) -> str:
    workspace = context["workspace"]
    url = reverse(f"web:{name}", args=[context["rail"].visit.team.slug, workspace.agent.pk, *place])
    query = {**asked, **({"owner": workspace.value} if workspace.value else {})}
    return f"{url}?{urlencode(query)}" if query else url


@register.simple_tag(takes_context=True)
def workspace_title(context: Context) -> str:
    workspace = context["workspace"]
    if workspace.is_mine:
        return _("My files")
    return _("Personal files") if workspace.owner else _("Shared files")
