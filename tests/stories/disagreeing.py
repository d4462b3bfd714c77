"""What several people and programs say day after day, each by a door of the API, with a dream
after each day."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Token, User
from memoryweb.accounts.permissions import Scope
from memoryweb.agents.models import Owner, Reader
from memoryweb.memory.prompt import context
from memoryweb.runs import engine
from tests.api.client import Api
from tests.clock import Clock
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.world import World, integration_token, personal_token

ROOM = {"channel": "slack", "senderId": "U1", "group": True, "roomId": "R1"}
SHARED = {"owner": "shared"}


class Days:
    """`owner`: of the memory that they speak for; None for what all share."""

    def __init__(self, world: World, clock: Clock, owner: Owner | None = None) -> None:
        self.world, self.clock, self.owner = world, clock, owner
        self.day = NIGHT
        self.begin()

    def begin(self) -> None:
        self.clock.put(datetime.combine(self.day, time(12), UTC))

    def ends(self) -> None:
        """The dream of that night, and then the next noon."""
        self.clock.put(self.clock.now + timedelta(hours=2))
        list(engine.run_pending())
        dream(self.world, self.owner, self.day)
        self.day += timedelta(days=1)
        self.begin()

    def person(self, who: str, *, by_hand: bool = False) -> Api:
        """A token of theirs that an admin lets write what is shared."""
        user: User = {"Alice": self.world.alice, "Bob": self.world.bob}[who]
        secret = personal_token(self.world.team, user, act_as_person=by_hand)
        Token.objects.filter(user=user).update(scopes=[*tokens.PERSONAL_SCOPES, Scope.SHARED_WRITE])
        return Api(secret)

    def program(self) -> Api:
        return Api(integration_token(self.world.integration))

    def call(self, api: Api, path: str, body: Any, method: str = "POST") -> Any:
        answer = api.call(method, f"/agents/{self.world.agent.pk}{path}", body)
        assert answer.status_code in {200, 201, 202}, answer.content
        return answer.json()

    def lines(self) -> list[str]:
        text = text_of(self.world, self.owner)
        return [line[2:] for line in text.split("\n") if line.startswith("- ")]

    def prompt(self) -> str:
        reader = Reader(self.world.agent, self.owner or self.world.bobs_memory)
        return context.build(reader, "Hello").system


Says = Callable[[Days, str, str], object]


def message(days: Days, who: str, text: str) -> None:
    """In a conversation of their own, with an agent whose memory all share."""
    _talk(days, days.person(who), f"{who} {days.day}", {"content": text}, {})


def shared(days: Days, who: str, text: str) -> None:
    """In a conversation that they send for all."""
    _talk(days, days.person(who), f"{who} {days.day}", {"content": text}, SHARED)


def room(days: Days, who: str, text: str) -> None:
    said = {"content": text, "name": who}
    _talk(days, days.program(), "room", said, ROOM)


def remember(days: Days, who: str, text: str) -> None:
    days.call(days.person(who), "/tools/remember", {"content": text} | SHARED)


def hand_remember(days: Days, who: str, text: str) -> None:
    days.call(days.person(who, by_hand=True), "/tools/remember", {"content": text} | SHARED)


def program(days: Days, _who: str, text: str) -> None:
    days.call(days.program(), "/tools/remember", {"content": text} | SHARED)


def memory(days: Days, who: str, text: str) -> None:
    """A line of MEMORY.md by their own hand."""
    _writes(days, who, "MEMORY.md", f"- {text}\n")


def note(days: Days, who: str, text: str) -> None:
    """A line of the day's note by their own hand."""
    _writes(days, who, f"memory/{days.day}.md", f"- 12:00 {text}\n")


def _writes(days: Days, who: str, path: str, line: str) -> None:
    content = text_of(days.world, None, path) + line
    api = days.person(who, by_hand=True)
    days.call(api, f"/workspace/files/{path}?owner=shared", {"content": content}, "PUT")


def _talk(days: Days, api: Api, name: str, message: dict[str, str], owner: dict[str, Any]) -> None:
    at = days.clock.now.isoformat()
    said = [{"role": "user", "timestamp": at} | message]
    turns = [{"role": "assistant", "content": f"{n}: noted.", "timestamp": at} for n in range(3)]
    body = {"messages": [*said, *turns], "finished": True} | owner
    days.call(api, f"/conversations/{name}/messages".replace(" ", "-"), body)
    list(engine.run_pending())
