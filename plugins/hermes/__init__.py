"""memoryweb as a memory provider of Hermes, by the calls of the other plugins: `memory.py`."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from agent import memory_provider  # type: ignore[import-not-found]

from . import memory  # type: ignore[attr-defined]

_NEEDED = ("MEMORYWEB_URL", "MEMORYWEB_TOKEN", "MEMORYWEB_AGENT")
log = logging.getLogger(__name__)


class Memoryweb(memory_provider.MemoryProvider):  # type: ignore[misc]
    """Nothing that goes wrong here reaches the agent: it goes on without memory."""

    name = "memoryweb"

    def is_available(self) -> bool:
        return all(os.environ.get(name) for name in _NEEDED)

    def unavailable_reason(self) -> str:
        return f"Set {', '.join(_NEEDED)}."

    def initialize(self, session_id: str, **about: Any) -> None:
        self._session, self._given = session_id, 0
        self._sending: threading.Thread | None = None
        self._is_primary = about.get("agent_context") in (None, "", "primary")
        # Whoever writes through a gateway is not the holder of the token.
        sender, channel = about.get("user_id"), about.get("platform")
        is_holder = channel in ("cli", "tui")
        self._whose = {} if is_holder else {"channel": channel, "senderId": str(sender)}
        self._is_known = is_holder or bool(sender)

    def on_session_switch(self, new_session_id: str, **_about: Any) -> None:
        self._session = new_session_id

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return []

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        self._given = 0
        if not self._is_known:
            return ""
        try:
            found = str(memory.recall(self._event(session_id, prompt=query)))
        except Exception as error:
            log.warning("memoryweb: %s", error)
            return ""
        self._given = found.count("\n") + 1 if found else 0
        return f"{memory.HEAD}\n\n{found}" if found else ""

    def recall_status(self) -> Any:
        status = getattr(memory_provider, "RecallStatus", None)
        return status(self.name, self._given) if status and self._given else None

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: Any = None,
    ) -> None:
        said = (("user", user_content), ("assistant", assistant_content))
        turn = [{"role": role, "content": text} for role, text in said if text.strip()]
        if turn and self._is_primary and self._is_known:
            self.shutdown()
            event = self._event(session_id)
            self._sending = threading.Thread(target=self._send, args=(event, turn), daemon=True)
            self._sending.start()

    def shutdown(self) -> None:
        if self._sending:
            self._sending.join(memory.SECONDS)

    def _event(self, session_id: str, **more: str) -> dict[str, Any]:
        return {"session_id": session_id or self._session, "whose": self._whose, **more}

    @staticmethod
    def _send(event: dict[str, Any], turn: list[dict[str, str]]) -> None:
        try:
            memory.send(event, turn)
        except Exception as error:
            log.warning("memoryweb: %s", error)


def register(ctx: Any) -> None:
    ctx.register_memory_provider(Memoryweb())
