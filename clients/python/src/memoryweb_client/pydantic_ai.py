"""Memory for Pydantic AI, as a capability of an agent.

agent = Agent(model, capabilities=[Remembering(memory)])
await agent.run(text, conversation_id="chat-17")
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import ModelRequest, RunContext, UserPromptPart
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult

from memoryweb_client import Memory


@dataclass
class Remembering(AbstractCapability[Any]):
    """Each request is given what is known; what was said and answered is kept when the run ends.

    For a server of many people, give each run its own: `agent.run(…, capabilities=[…])`.
    """

    memory: Memory
    known: str | None = field(default=None, init=False)

    async def for_run(self, ctx: RunContext[Any]) -> Remembering:
        return Remembering(self.memory)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if self.known is None:
            self.known = await self.memory.arecall(_text(ctx.prompt))
        if not self.known:
            return request_context
        reminder = ModelRequest(parts=[UserPromptPart(self.known)])
        return replace(request_context, messages=[reminder, *request_context.messages])

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        said = [
            {"role": "user", "content": _text(ctx.prompt)},
            {"role": "assistant", "content": str(result.output)},
        ]
        await self.memory.aretain(said, conversation=ctx.conversation_id)
        return result


def _text(prompt: Any) -> str:
    parts = [prompt] if isinstance(prompt, str) else list(prompt or ())
    return "\n".join(part for part in parts if isinstance(part, str))
