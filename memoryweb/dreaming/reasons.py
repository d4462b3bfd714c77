"""Why something was left out, or left memory: codes, which are what is stored, and their sentences.

They name numbers and places, never the text of a note: they are shown without it.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.dreaming.operations import Why

LEFT_OUT: Mapping[str, Promise] = {
    "unknown_statement": _("It names a statement that doesn't exist."),
    "empty": _("It says nothing."),
    "too_long": _("It's longer than {limit} characters."),
    "no_source": _("It has no note line as its source."),
    "secret": _("It looks like a secret."),
    "address": _("It has a web or e-mail address that isn't in its sources."),
    "unsupported": _("It says something that isn't in its sources."),
    "unrelated": _("Its source speaks of something else."),
    "pinned": _("Pinned lines stay as they are."),
    "flagged": _("The line is flagged. A person has to look at it first."),
    "orders": _("It reads like an order to the assistant."),
    "persons_word": _("A person wrote or confirmed it, and hasn't said otherwise since."),
    "forgotten": _("It was erased."),
    "corrected": _("A person took it back, and hasn't said it again since."),
    "left": _("It left memory, and nobody has said it since."),
    "over": _("Its time is over."),
    "cancels": _("It only cancels something: there is nothing to keep."),
    "rejected": _("A person rejected it before."),
    "known": _("MEMORY.md already says this."),
    "loses": _("The merged line would lose part of what the others say."),
    "outdated": _("MEMORY.md already has something newer."),
    "undated": _("Nobody knows when it was said, so it replaces nothing."),
    "untold": _("Somebody else said it, or its source is trusted less."),
    "unproved": _("Nothing said later shows that it's no longer true."),
    "unproved_too_many": _("This dream has already removed as much as it may without proof."),
    "too_many": _("A dream looks at {limit} changes at most."),
    "rival": _("It contradicts another statement, so a person decides."),
    "outside": _("It comes from outside the team, so a person decides."),
    "full": _("MEMORY.md has no room for it. It's still known, but not in the prompt."),
}

LEFT: Mapping[Why, Promise] = {
    Why.SUPERSEDED: _("A newer value replaced it."),
    Why.EXPIRED: _("Its time is over."),
    Why.CANCELLED: _("It was said to be over or cancelled."),
    Why.DUPLICATE: _("Another statement says the same."),
    Why.ASKED: _("The person it is about said otherwise."),
    Why.UNPROVED: _("Something newer was said about it. That it no longer holds isn't proved."),
    Why.ROOM: _("MEMORY.md has no room for it. It's still known, but not in the prompt."),
}


OUTCOMES: Mapping[str, Promise] = {
    "add": _("added"),
    "replace": _("replaced"),
    "merge": _("merged"),
    "retire": _("removed"),
    "back": _("brought back"),
    "waits": _("waits for a person"),
    "left_out": _("left out"),
}
# What becomes of what waits, once a person decides.
DECIDED: Mapping[str, Promise] = {"accepted": _("accepted"), "rejected": _("rejected")}
WAITS: Mapping[str, Promise] = {
    "rival": LEFT_OUT["rival"],
    "outside": LEFT_OUT["outside"],
    "policy": _("This agent asks a person before it changes memory."),
    "current": _("The notes changed twice while the dream was at work."),
}


def left_out(code: str, values: Mapping[str, str | int]) -> str:
    return str(LEFT_OUT[code]).format(**values)
