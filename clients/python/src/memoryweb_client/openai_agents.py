"""Memory for the OpenAI Agents SDK: a session that remembers beyond itself.

session = MemorySession("chat-17", memory)
await Runner.run(agent, text, session=session, run_config=session.run_config())
"""

from __future__ import annotations

from typing import Any

from agents import RunConfig, Session, SQLiteSession, TResponseInputItem
from agents.run import CallModelData, ModelInputData

from memoryweb_client import Memory


class MemorySession:
    """Keeps the conversation in `history`, and what was said in memory as well."""

    session_settings = None

    def __init__(self, session_id: str, memory: Memory, history: Session | None = None) -> None:
        self.session_id = session_id
        self._memory = memory
        self._history = history or SQLiteSession(session_id)
        self._recalled: tuple[str, str] = ("", "")  # a message, and what was known for it

    def run_config(self, **options: Any) -> RunConfig:
        """Each call of the model is given what is known; it stays out of the conversation."""
        return RunConfig(call_model_input_filter=self._remind, **options)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        return await self._history.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await self._history.add_items(items)
        said = [{"role": _field(one, "role"), "content": _text(one)} for one in items]
        await self._memory.aretain(said, conversation=self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        return await self._history.pop_item()

    async def clear_session(self) -> None:
        """Ends the conversation; what is remembered of it stays."""
        await self._history.clear_session()

    async def _remind(self, call: CallModelData[Any]) -> ModelInputData:
        data = call.model_data
        said = [at for at, one in enumerate(data.input) if _field(one, "role") == "user"]
        asked = _text(data.input[said[-1]]) if said else ""
        if asked != self._recalled[0]:
            self._recalled = asked, await self._memory.arecall(asked)
        if not said or not self._recalled[1]:
            return data
        known: TResponseInputItem = {"role": "user", "content": self._recalled[1]}
        given = [*data.input[: said[-1]], known, *data.input[said[-1] :]]
        return ModelInputData(input=given, instructions=data.instructions)


def _field(item: TResponseInputItem, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else None


def _text(item: TResponseInputItem) -> str:
    content = _field(item, "content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
