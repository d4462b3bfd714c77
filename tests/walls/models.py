"""The models that the walls walk over."""

from django.apps import apps
from django.db import models

# Rows that belong to no team: people may be in several; the others are the installation's own.
WITHOUT_TEAM = {
    "accounts.Identity",
    "accounts.User",
    "accounts.Team",
    "audit.Keys",
    "audit.Maintenance",
    "runs.Beat",
    "runs.Metric",
    "notify.MailNotice",
}
# Rows of a team that are looked up before anyone knows which team's scope to enter.
BEFORE_SCOPE = {"accounts.Invitation", "accounts.Membership", "accounts.Token"}
# Rooms that hold the team's id as a value and know no team.
BY_VALUE = {
    *("audit.ChainHead", "audit.Event", "audit.Label"),
    *("llm.Breaker", "llm.ChatUsage", "llm.TeamEmbedding", "llm.TeamModel", "llm.Usage"),
}

OURS: list[type[models.Model]] = [
    model for model in apps.get_models() if model.__module__.startswith("memoryweb.")
]


def columns(model: type[models.Model]) -> set[str]:
    return {field.attname for field in model._meta.concrete_fields}


TENANT = [model for model in OURS if "team_id" in columns(model)]
SCOPED = [model for model in TENANT if model._meta.label not in BEFORE_SCOPE | BY_VALUE]
