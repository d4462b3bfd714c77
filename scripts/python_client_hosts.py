# mypy: ignore-errors
"""Runs where the libraries are: `python_client.py` starts it. Each host has a model that always
says “Noted.” and keeps what it was given; tells it something, or asks it in another conversation.
"""

import asyncio
import json
import sys

from agents import Agent, Model, ModelResponse, Runner, Usage
from agents.tracing import set_tracing_disabled
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import StateGraph
from memoryweb_client import Memory
from memoryweb_client.langgraph import MemoryState, memory_nodes
from memoryweb_client.openai_agents import MemorySession
from memoryweb_client.pydantic_ai import Remembering
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import ModelResponse as PydanticResponse
from pydantic_ai import TextPart
from pydantic_ai.models.function import FunctionModel

SAID = {
    "openai-agents": ("I own a bakery in Leeds.", "Where is my bakery?", "Leeds"),
    "langgraph": ("My favourite cake is lemon drizzle.", "Which cake is my favourite?", "lemon"),
    "pydantic-ai": ("My sister Ana lives in Porto.", "Where does my sister live?", "Porto"),
}


class _Model(Model):
    def __init__(self) -> None:
        self.given = ""

    async def get_response(self, **call: object) -> ModelResponse:
        self.given = json.dumps(call["input"])
        text = ResponseOutputText(text="Noted.", type="output_text", annotations=[])
        said = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, **call: object) -> None:
        raise NotImplementedError


async def _openai(memory: Memory, talk: str, text: str) -> str:
    set_tracing_disabled(True)
    model, session = _Model(), MemorySession(talk, memory)
    agent = Agent(name="Ada", model=model)
    done = await Runner.run(agent, text, session=session, run_config=session.run_config())
    assert done.final_output == "Noted."
    assert len(await session.get_items()) == 2
    return model.given


async def _langgraph(memory: Memory, talk: str, text: str) -> str:
    given = []

    def model(state: MemoryState) -> dict:
        given.append(state["memory"])
        return {"messages": [AIMessage("Noted.")]}

    recall, retain = memory_nodes(memory)
    graph = StateGraph(MemoryState)
    graph.add_sequence([("recall", recall), ("model", model), ("retain", retain)])
    graph.set_entry_point("recall")
    settings = {"configurable": {"thread_id": talk, "user_id": "langgraph"}}
    done = await graph.compile().ainvoke({"messages": [HumanMessage(text)]}, settings)
    assert [one.text for one in done["messages"]] == [text, "Noted."]
    return given[0]


async def _pydantic(memory: Memory, talk: str, text: str) -> str:
    given = []

    def model(messages: list, info: object) -> PydanticResponse:
        given.append(str(messages))
        return PydanticResponse(parts=[TextPart("Noted.")])

    agent = PydanticAgent(FunctionModel(model), capabilities=[Remembering(memory)])
    done = await agent.run(text, conversation_id=talk)
    assert done.output == "Noted."
    assert len(done.all_messages()) == 2
    return given[0]


HOSTS = {"openai-agents": _openai, "langgraph": _langgraph, "pydantic-ai": _pydantic}


async def main(act: str, url: str, agent: str, token: str) -> None:
    answers = {}
    for name, host in HOSTS.items():
        memory = Memory(url, token, agent, user=name)
        said, asked, known = SAID[name]
        given = await host(memory, f"{name}-{act}", said if act == "tell" else asked)
        if act == "ask":
            answers[name] = known in given
        elif act == "alone":
            answers[f"{name} without a server"] = known not in given
    print(json.dumps(answers))


asyncio.run(main(*sys.argv[1:]))
