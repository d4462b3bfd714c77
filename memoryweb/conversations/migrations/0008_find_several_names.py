from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count
from django.db.models.functions import Lower


def find(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    messages = apps.get_model("conversations", "Message").objects
    named = messages.filter(role="user").exclude(name="").order_by().values("conversation")
    several = named.annotate(names=Count(Lower("name"), distinct=True)).filter(names__gt=1)
    conversations = apps.get_model("conversations", "Conversation").objects
    conversations.filter(pk__in=several.values("conversation")).update(several_names=True)


class Migration(migrations.Migration):
    dependencies = [("conversations", "0007_several_names")]

    operations = [migrations.RunPython(find, migrations.RunPython.noop)]
