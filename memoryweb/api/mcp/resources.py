"""The workspace as resources: `memory://root`, and below it each file under its path."""

from typing import Any

from django.utils.translation import gettext as _

from memoryweb.api.domain_errors import REFUSALS
from memoryweb.api.mcp.host import Host
from memoryweb.api.mcp.messages import RESOURCE_MISSING, Refused
from memoryweb.markdown.paths import kind_of
from memoryweb.memory import tools
from memoryweb.memory.models import File
from memoryweb.memory.models.refusals import FileMissing
from memoryweb.memory.tools import Acting

HOME = "memory://root"
ROOT = f"{HOME}/"
_MARKDOWN = "text/markdown"
_SUMMARY = "memory_summary.md"


def listed(host: Host) -> list[dict[str, Any]]:
    """What a client may put into a conversation by itself; other files are read by their path."""
    paths = [file.path for file in tools.list_files(host.reading())]
    shown = [path for path in paths if kind_of(path).is_offered and path != _SUMMARY]
    named = {HOME: "memory", **{ROOT + path: path for path in shown}}
    return [{"uri": uri, "name": name, "mimeType": _MARKDOWN} for uri, name in named.items()]


def templates() -> list[dict[str, Any]]:
    return [
        {
            "uriTemplate": ROOT + "{+path}",
            "name": "file",
            "description": _("A Markdown file of memory, by its path."),
            "mimeType": _MARKDOWN,
        }
    ]


def read(host: Host, uri: object) -> dict[str, Any]:
    """Raises Refused."""
    acting = host.reading()
    text = _text(acting, uri) if isinstance(uri, str) else None
    if text is None:
        raise Refused(RESOURCE_MISSING, _("There is no such resource."), {"uri": str(uri)[:512]})
    return {"contents": [{"uri": uri, "mimeType": _MARKDOWN, "text": text}]}


def _text(acting: Acting, uri: str) -> str | None:
    if uri.rstrip("/") == HOME:
        return _home(acting)
    if not uri.startswith(ROOT):
        return None
    try:
        return tools.read_file(acting, uri.removeprefix(ROOT))[1]
    except REFUSALS:
        return None


def _home(acting: Acting) -> str:
    try:
        summary = tools.read_file(acting, _SUMMARY)[1].rstrip("\n") + "\n\n"
    except FileMissing:
        summary = ""
    paths = dict.fromkeys(file.path for file in tools.list_files(acting) if _is_named(file))
    return summary + "".join(f"- [{path}]({ROOT}{path})\n" for path in paths)


def _is_named(file: File) -> bool:
    """Clients load this list by themselves, and a token calls its files as it likes: of shared ones
    those whose names are ours or that a person let into the prompt. Tools list them all."""
    kind = kind_of(file.path)
    is_ours = kind.is_core or kind.is_offered or file.note_date is not None
    return is_ours or file.enabled or file.owner_id is not None
