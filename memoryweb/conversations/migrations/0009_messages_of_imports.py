import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_letter_keys_off"),
        ("conversations", "0008_find_several_names"),
        ("workspace", "0018_import_formats"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="batch",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="messages",
                to="workspace.import",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("batch__isnull", False)),
                fields=["batch"],
                name="conversations_message_batch",
            ),
        ),
    ]
