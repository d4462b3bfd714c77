import django.db.models.deletion
from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0013_import_runs"),
        ("workspace", "0017_models_of_other_rooms_leave"),
    ]

    operations = [
        migrations.AddField(
            model_name="import",
            name="archive",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="import",
            name="format",
            field=memoryweb.fields.PlainCharField(default="snapshot", max_length=16),
        ),
        migrations.AddField(
            model_name="import",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="imports",
                to="runs.run",
            ),
        ),
    ]
