"""Long-term memory for an agent: what is known before it answers, what was said after it did."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx

__all__ = ["Memory"]
__version__ = "0.2.0"

MOST_PROMPT = 200_000  # characters of a message that is asked about
MOST_CHARACTERS = 60_000  # of one that is kept
MOST_MESSAGES = 1_000
_ROLES = {"user", "assistant"}
_log = logging.getLogger(__name__)


class Memory:
    """The memory of one person with one agent.

    `user` names an end user of an integration's token, and is left out with a personal token. It
    comes from the host, never from a model. Nothing that goes wrong here is raised: it is logged,
    and the host goes on without memory.
    """

    def __init__(
        self,
        url: str,
        token: str,
        agent: str,
        *,
        user: str | None = None,
        conversation: str | None = None,
        timeout: float = 5.0,
    ) -> None:
        self.user = user
        self.conversation = conversation or str(uuid4())
        self._agent = f"{url.rstrip('/')}/api/v1/agents/{quote(agent, safe='')}"
        self._with: dict[str, Any] = {
            "headers": {"Authorization": f"Bearer {token}"},
            "timeout": timeout,
        }

    def recall(self, text: str, *, user: str | None = None) -> str:
        """What is remembered that has to do with this message; data, never instructions."""
        try:
            return _remembered(self._post(*self._asked(text, user))) if text.strip() else ""
        except Exception as error:
            return _went_wrong(error)

    async def arecall(self, text: str, *, user: str | None = None) -> str:
        try:
            return _remembered(await self._apost(*self._asked(text, user))) if text.strip() else ""
        except Exception as error:
            return _went_wrong(error)

    def retain(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        user: str | None = None,
        conversation: str | None = None,
        finished: bool = False,
    ) -> None:
        """Keep what was said: `role` and `content`, also `name` and `timestamp`. With an `id` a
        message can be sent again. Memory is made of it once it is `finished`, or has been quiet."""
        try:
            for path, body in self._said(messages, user, conversation, finished):
                self._post(path, body)
        except Exception as error:
            _went_wrong(error)

    async def aretain(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        user: str | None = None,
        conversation: str | None = None,
        finished: bool = False,
    ) -> None:
        try:
            for path, body in self._said(messages, user, conversation, finished):
                await self._apost(path, body)
        except Exception as error:
            _went_wrong(error)

    def _asked(self, text: str, user: str | None) -> tuple[str, dict[str, Any]]:
        return "/context", {"message": text[:MOST_PROMPT], **self._owner(user)}

    def _said(
        self,
        messages: Iterable[Mapping[str, Any]],
        user: str | None,
        conversation: str | None,
        finished: bool,
    ) -> list[tuple[str, dict[str, Any]]]:
        kept = [
            {**one, "content": one["content"][:MOST_CHARACTERS]}
            for one in messages
            if one.get("role") in _ROLES
            and isinstance(one.get("content"), str)
            and one["content"].strip()
        ]
        path = f"/conversations/{quote(conversation or self.conversation, safe='')}/messages"
        rest = {"finished": finished, **self._owner(user)}
        starts = range(0, len(kept), MOST_MESSAGES)
        return [(path, {"messages": kept[at : at + MOST_MESSAGES], **rest}) for at in starts]

    def _owner(self, user: str | None) -> dict[str, str]:
        named = user or self.user
        return {"endUserId": named} if named else {}

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return _answer(httpx.post(self._agent + path, json=body, **self._with))

    async def _apost(self, path: str, body: dict[str, Any]) -> Any:
        async with httpx.AsyncClient(**self._with) as client:
            return _answer(await client.post(self._agent + path, json=body))


def _answer(response: httpx.Response) -> Any:
    return response.raise_for_status().json()


def _remembered(answer: Any) -> str:
    """All but the message itself, which comes last."""
    return "\n\n".join(str(turn["content"]) for turn in answer["messages"][:-1])


def _went_wrong(error: Exception) -> str:
    _log.warning("memoryweb: %s: %s", type(error).__name__, error)
    return ""
