from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import F


def wait(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """What was skipped for being short is read: the next tick asks for it."""
    reasons = ["too_few_messages", "last_message_too_short"]
    short = apps.get_model("memory", "Conversation").objects.filter(skipped__in=reasons)
    short.filter(message_count__gt=F("extracted_upto")).update(waiting=True)
    short.update(skipped="")


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_told_before_expiry")]

    operations = [migrations.RunPython(wait, migrations.RunPython.noop)]
