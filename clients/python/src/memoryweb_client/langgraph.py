"""Memory for LangGraph: a node before the model's, and one after it.

    recall, retain = memory_nodes(memory)
    graph = StateGraph(MemoryState)
    graph.add_sequence([("recall", recall), ("model", model), ("retain", retain)])

The model's node gives `state["memory"]` to the model as a message before the last one. The thread
is the conversation; `user_id` in the configuration says whose memory it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState

from memoryweb_client import Memory

_ROLES = {"human": "user", "ai": "assistant"}


class MemoryState(MessagesState):
    memory: str


Node = Callable[[MemoryState, RunnableConfig], dict[str, Any]]


def memory_nodes(memory: Memory) -> tuple[Node, Node]:
    def recall(state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        turn = _turn(state["messages"])
        asked = turn[0].text if turn else ""
        return {"memory": memory.recall(asked, user=_given(config, "user_id"))}

    def retain(state: MemoryState, config: RunnableConfig) -> dict[str, Any]:
        said = [
            {"id": one.id, "role": _ROLES[one.type], "content": one.text}
            for one in _turn(state["messages"])
            if isinstance(one, HumanMessage | AIMessage)
        ]
        user, thread = _given(config, "user_id"), _given(config, "thread_id")
        memory.retain(said, user=user, conversation=thread)
        return {}

    return recall, retain


def _turn(messages: list[Any]) -> list[BaseMessage]:
    """From the person's last message on."""
    humans = [at for at, one in enumerate(messages) if isinstance(one, HumanMessage)]
    return messages[humans[-1] :] if humans else []


def _given(config: RunnableConfig, name: str) -> str | None:
    value = config.get("configurable", {}).get(name)
    return str(value) if value else None
