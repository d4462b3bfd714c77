import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0008_indexes_that_others_cover"),
        ("workspace", "0013_indexes_that_others_cover"),
    ]

    operations = [
        migrations.AlterField(
            model_name="lineorigin",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="runs.run",
            ),
        ),
        migrations.AlterField(
            model_name="proposal",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="proposals",
                to="runs.run",
            ),
        ),
        migrations.AlterField(
            model_name="revision",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="revisions",
                to="runs.run",
            ),
        ),
    ]
