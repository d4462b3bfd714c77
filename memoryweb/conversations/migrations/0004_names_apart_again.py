from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Exists, OuterRef, Q

MAX_ID = 255


def tell_apart(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """On the way back: of the conversations of an agent with one id the first keeps it, and each
    later one gets its own key behind it."""
    conversations = apps.get_model("conversations", "Conversation").objects
    earlier = conversations.filter(
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        agent=OuterRef("agent"),
        external_id=OuterRef("external_id"),
    )
    for one in list(conversations.filter(Exists(earlier)).only("pk", "external_id")):
        key = f" {one.pk}"
        one.external_id = one.external_id[: MAX_ID - len(key)] + key
        one.save(update_fields=["external_id"])


class Migration(migrations.Migration):
    dependencies = [("conversations", "0003_names_of_one_owner")]

    operations = [migrations.RunPython(migrations.RunPython.noop, tell_apart)]
