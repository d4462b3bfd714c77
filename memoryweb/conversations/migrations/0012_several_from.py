from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def since_ever(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Nobody knows when the second name came: as before, none of it was said by one alone."""
    conversations = apps.get_model("conversations", "Conversation").objects
    conversations.filter(several_names=True).update(several_from=1)


def at_all(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    conversations = apps.get_model("conversations", "Conversation").objects
    conversations.filter(several_from__gt=0).update(several_names=True)


class Migration(migrations.Migration):
    dependencies = [("conversations", "0011_source_mem0")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="several_from",
            field=models.IntegerField(
                default=0,
                help_text="position since which users have several names; 0: one person speaks",
            ),
        ),
        migrations.RunPython(since_ever, at_all),
        migrations.RemoveField(model_name="conversation", name="several_names"),
    ]
