"""Last night in sentences: what the agents learned, and what waits."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming.night_results import AgentNight


def headline(nights: Sequence[AgentNight], *, is_last: bool) -> str:
    """About the agent that learned most."""
    told = [night for night in nights if night.changes]
    if told:
        return sentence(max(told, key=lambda night: night.changes))
    return _("Nothing new last night.") if is_last else _("Nothing new that night.")


def others(nights: Sequence[AgentNight]) -> str:
    """The same of the other agents; many are counted."""
    told = sorted((one for one in nights if one.changes), key=lambda one: -one.changes)[1:]
    if len(told) <= 3:
        return " ".join(sentence(night) for night in told)
    count = sum(night.changes for night in told)
    said = ngettext(
        "{n} other change in {agents} agents.", "{n} other changes in {agents} agents.", count
    )
    return said.format(n=count, agents=len(told))


def sentence(night: AgentNight) -> str:
    learned, changed, retired = night.learned_count, night.changed_count, night.retired_count
    name = night.agent.name
    if learned and changed:
        said = ngettext(
            "{name} learned {n} thing and changed its mind about {changed}.",
            "{name} learned {n} things and changed its mind about {changed}.",
            learned,
        )
    elif learned and retired:
        said = ngettext(
            "{name} learned {n} thing and let go of {retired}.",
            "{name} learned {n} things and let go of {retired}.",
            learned,
        )
    elif learned:
        said = ngettext("{name} learned {n} thing.", "{name} learned {n} things.", learned)
    elif changed:
        said = ngettext(
            "{name} changed its mind about {changed} thing.",
            "{name} changed its mind about {changed} things.",
            changed,
        )
    else:
        said = ngettext(
            "{name} let go of {retired} thing.", "{name} let go of {retired} things.", retired
        )
    return said.format(name=name, n=learned, changed=changed, retired=retired)


def waiting(count: int) -> str:
    if not count:
        return ""
    return ngettext("{n} thing waits for you.", "{n} things wait for you.", count).format(n=count)
