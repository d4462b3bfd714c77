"""Prompts that a person picks in their client: what is remembered, put before a question."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from memoryweb.api.context import serve
from memoryweb.api.exceptions import Problem
from memoryweb.api.mcp.host import Host
from memoryweb.api.mcp.messages import INVALID_PARAMS, Refused
from memoryweb.api.request_bodies import parse
from memoryweb.api.schemas import RequestBody

_ABOUT_ME, _BEFORE = "what_do_you_know_about_me", "before_you_answer"
_TITLES: Mapping[str, str | Promise] = {
    _ABOUT_ME: gettext_lazy("What do you know about me?"),
    _BEFORE: gettext_lazy("Before you answer"),
}


class _Nothing(RequestBody):
    pass


class _Message(RequestBody):
    message: str = Field(min_length=1, max_length=262_144)


def listed() -> list[dict[str, Any]]:
    about_me = _("Tells what is remembered about you.")
    before = _("Puts what is remembered before a message, and then the message.")
    message = {"name": "message", "description": _("Your message."), "required": True}
    return [
        {"name": _ABOUT_ME, "title": str(_TITLES[_ABOUT_ME]), "description": about_me},
        {
            "name": _BEFORE,
            "title": str(_TITLES[_BEFORE]),
            "description": before,
            "arguments": [message],
        },
    ]


def get(host: Host, name: object, arguments: object) -> dict[str, Any]:
    """Raises Refused."""
    if not isinstance(name, str) or name not in _TITLES:
        raise Refused(INVALID_PARAMS, _("There is no such prompt."))
    if not isinstance(arguments, dict):
        raise Refused(INVALID_PARAMS, _("The arguments of a prompt are a JSON object."))
    acting = host.reading()
    built = serve(host.caller, acting.reader, _message(name, arguments), acting.conversation)
    texts = [("user", built.system)] if built.system else []
    texts += [(turn.role, turn.content) for turn in built.messages]
    messages = [{"role": role, "content": {"type": "text", "text": text}} for role, text in texts]
    return {"description": str(_TITLES[name]), "messages": messages}


def _message(name: str, arguments: dict[str, Any]) -> str:
    try:
        if name == _BEFORE:
            return parse(_Message, arguments).message
        parse(_Nothing, arguments)
    except Problem as problem:
        raise Refused(INVALID_PARAMS, str(problem.detail)) from None
    return str(_TITLES[_ABOUT_ME])
