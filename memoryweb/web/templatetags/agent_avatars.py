"""How agents look."""

from django import template

from memoryweb.agents.models import Agent

register = template.Library()


@register.filter
def tint(agent: Agent) -> int:
    """One of three, always the same for an agent."""
    return agent.pk.int % 3 + 1
