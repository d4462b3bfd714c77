"""Who decides about shared memory reads what is offered, never what an owner said. What a person
asked by words, and is yet to be erased, is still looked for by them."""

from typing import Any

from django.db import migrations
from django.db.models import Q


def empty(apps: Any, _schema_editor: Any) -> None:
    request = apps.get_model("forgetting", "Request")
    shared = request._base_manager.filter(owner=None)
    is_sought = Q(via__in=["api", "page"], state__in=["hidden", "held"])
    shared.filter(~is_sought).update(about="")
    shared.filter(~Q(message=None) | ~Q(conversation=None)).update(message=None, conversation=None)


class Migration(migrations.Migration):
    dependencies = [("forgetting", "0003_receipts_of_agents")]

    operations = [migrations.RunPython(empty, migrations.RunPython.noop, elidable=True)]
