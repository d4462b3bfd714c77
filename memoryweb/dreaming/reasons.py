"""Why something was left out, or left memory: codes, which are what is stored, and their sentences.

They name numbers and places, never the text of a note: they are shown without it.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.dreaming.operations import Why

LEFT_OUT: Mapping[str, Promise] = {
    "unknown_statement": _("It names a statement that is not there."),
    "empty": _("It says nothing."),
    "too_long": _("It is longer than {limit} characters, too long for a line."),
    "no_source": _("It names no note line that says so."),
    "secret": _("It looks like a secret."),
    "address": _("It has an address that no source has."),
    "unsupported": _("It has a name, number or date that no source has."),
    "pinned": _("Pinned lines stay as they are."),
    "flagged": _("The line is flagged: a person has to look at it first."),
    "orders": _("It reads like an order to the assistant."),
    "persons_word": _("A person wrote or confirmed it, and said nothing else since."),
    "corrected": _("A person took it back, and nobody who may has said it since."),
    "left": _("It is over, or has left memory and was not said since."),
    "cancels": _("It cancels something, and leaves nothing to keep."),
    "rejected": _("A person rejected it before."),
    "known": _("MEMORY.md already says this."),
    "loses": _("The merged line would lose a part of what it stands for."),
    "outdated": _("MEMORY.md holds a newer value."),
    "untold": _("Somebody else said it, or it came from a weaker source."),
    "unproved": _("Nothing that was said later shows that it no longer holds."),
    "unproved_too_many": _("Enough went tonight without proof."),
    "too_many": _("Only {limit} operations are looked at in a night."),
    "rival": _("It contradicts what stands; a person decides."),
    "outside": _("It comes from outside the team, so a person decides."),
    "full": _("There is no room for it in MEMORY.md; it stays known without."),
}

LEFT: Mapping[Why, Promise] = {
    Why.SUPERSEDED: _("A newer value replaced it."),
    Why.EXPIRED: _("Its time is over."),
    Why.CANCELLED: _("It was cancelled."),
    Why.DUPLICATE: _("Another statement says the same."),
    Why.ASKED: _("Its owner said otherwise."),
    Why.ROOM: _("There is no room for it in the prompt; it stays known without."),
}


OUTCOMES: Mapping[str, Promise] = {
    "add": _("added"),
    "replace": _("replaced"),
    "merge": _("merged"),
    "retire": _("left"),
    "back": _("back"),
    "waits": _("waits for a person"),
    "left_out": _("left out"),
}
WAITS: Mapping[str, Promise] = {
    "rival": LEFT_OUT["rival"],
    "outside": LEFT_OUT["outside"],
    "policy": _("This agent's changes wait for a person."),
    "current": _("The notes changed twice while the dream was at work."),
}


def left_out(code: str, values: Mapping[str, str | int]) -> str:
    return str(LEFT_OUT[code]).format(**values)
