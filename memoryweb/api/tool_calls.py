"""What every tool takes and answers."""

from pydantic import Field

from memoryweb.api.schemas import Camel, OwnerFields


class Call(OwnerFields):
    conversation_id: str | None = Field(
        None,
        max_length=255,
        description="The current conversation. Recalls are only counted with it.",
    )


class Answer(Camel):
    agent_id: str
