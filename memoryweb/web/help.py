"""The documentation, read beside the product: each page links to the section that is about it."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from memoryweb.web import markdown

# A page's address name begins so → the document and its section. The first that fits counts.
_ABOUT = (
    ("agents_fact", "statements", ""),
    ("agents_activity", "dreams", "see-what-it-did"),
    ("agents_connect", "connect", ""),
    ("agents_chat", "chat", ""),
    ("agents_dream", "dreams", "see-what-it-did"),
    ("agents_tonight", "dreams", ""),
    ("agents_run", "dreams", "see-what-it-did"),
    ("agents_forget", "forgetting", "forget-something"),
    ("agents_snapshot", "files", "export-and-import"),
    ("agents_import", "importing", ""),
    ("agents_provenance", "review", "revert-a-source"),
    ("agents_revision", "files", "see-what-changed"),
    ("agents_compare", "files", "see-what-changed"),
    ("agents_moments", "files", "see-what-changed"),
    ("agents_prompt", "connect", "ask-for-the-prompt"),
    ("agents_edit", "files", "edit"),
    ("agents_conversation", "connect", "send-conversations"),
    ("agents_detail", "dreams", ""),
    ("agents_file", "files", ""),
    ("agents_note", "files", ""),
    ("agents", "people-and-teams", "set-up-a-team"),
    ("last_night", "dreams", "see-what-it-did"),
    ("review", "review", ""),
    ("search", "search", ""),
    ("mine", "my-memory", ""),
    ("owners", "my-memory", "people-without-an-account"),
    ("audit", "operations", "the-audit-log"),
    ("settings_webhook", "webhooks", ""),
    ("settings_token", "people-and-teams", "tokens"),
    ("settings_integration", "api", "tokens"),
    ("settings_model", "connect", "use-a-model"),
    ("settings_health", "operations", "health"),
    ("settings_erasing", "forgetting", "legal-holds-and-retention"),
    ("settings_member", "people-and-teams", "add-people"),
    ("", "people-and-teams", ""),
)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:|#|/)([^)#]+?)(?:#([\w-]+))?\)")
_HEADING = re.compile(r"^(#{1,2}) (.+)$")


class Section(NamedTuple):
    id: str
    title: str
    html: SafeString


def help_url(page: str) -> str:
    """Of the page with this name."""
    name, section = next((doc, at) for begins, doc, at in _ABOUT if page.startswith(begins))
    return reverse("help", args=[name]) + (f"#{section}" if section else "")


@require_GET
def show(request: HttpRequest, name: str) -> HttpResponse:
    if name not in _names():
        raise Http404
    title, sections = read(name)
    return render(request, "home/help.html", {"title": title, "sections": sections})


@cache
def read(name: str) -> tuple[str, list[Section]]:
    """A document's title and sections; what stands before the first has no title."""
    text = _LINK.sub(_linked, (_docs() / f"{name}.md").read_text(encoding="utf-8"))
    title, parts, is_code = name, [("", [""])], False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        heading = None if is_code else _HEADING.match(line)
        if heading is None:
            parts[-1][1].append(line)
        elif heading[1] == "#":
            title = heading[2]
        else:
            parts.append((heading[2], []))
    return title, [
        Section(slugify(head), head, markdown.render_text("\n".join(lines)))
        for head, lines in parts
    ]


def _linked(link: re.Match[str]) -> str:
    """To another document as it is read here. What only the source has is named, not linked."""
    label, name, section = link[1], link[2].removesuffix(".md"), link[3]
    if name not in _names():
        return label
    return f"[{label}]({reverse('help', args=[name])}{f'#{section}' if section else ''})"


@cache
def _names() -> frozenset[str]:
    return frozenset(path.stem for path in _docs().glob("*.md") if path.stem != "architecture")


def _docs() -> Path:
    return Path(settings.BASE_DIR) / "docs"
