"""Links inside a workspace: they keep the owner whose files are looked at."""

from typing import Any, cast
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from memoryweb.accounts.signins import has_password
from memoryweb.agents.models import Owner
from memoryweb.memory.models import Conversation, Fact, File
from memoryweb.web import wording
from memoryweb.web.rail import Tabs, readable_value, value_of

register = template.Library()
register.filter(has_password)


@register.simple_tag(takes_context=True)
def agent_tabs(context: Context) -> Tabs:
    """Whose memory a page is about: its workspace's, its `owner`'s, or what the address asks."""
    rail, agent = context["rail"], context["agent"]
    if made := rail.tabs:
        return cast(Tabs, made)
    visit = rail.visit
    if workspace := context.get("workspace"):
        value = workspace.value
    elif "about_owner" in context:
        value = readable_value(visit, value_of(visit, context["about_owner"]))
    else:
        value = readable_value(visit, context["request"].GET.get("owner", ""))
    more = {name: context[name] for name in ("stay", "amounts") if name in context}
    rail.tabs = made = Tabs(visit, agent, value, tab=context["tab"], **more)
    return made


@register.simple_tag
def company() -> str:
    """What the company's accounts are called; empty: nobody signs in with one."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""


@register.filter
def in_words(reason: str) -> str:
    """Why a text was written: a person's words, or ours in the reader's language."""
    return gettext(reason) if reason else ""


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


# Pages of one thing, for this reader.


@register.simple_tag(takes_context=True)
def file_url(context: Context, file: File, line: int | None = None) -> str:
    return wording.file_url(context["request"], file, line)


@register.simple_tag(takes_context=True)
def fact_url(context: Context, fact: Fact) -> str:
    return wording.fact_url(context["request"], fact)


@register.simple_tag(takes_context=True)
def talk_url(context: Context, talk: Conversation, position: int | None = None) -> str:
    return wording.talk_url(context["request"], talk, position)


@register.simple_tag(takes_context=True)
def whose(context: Context, owner: Owner | None) -> str:
    return wording.owner_name(context["rail"].visit, owner)
