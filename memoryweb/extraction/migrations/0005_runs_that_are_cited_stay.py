import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("extraction", "0004_indexes_that_others_cover"),
        ("runs", "0008_indexes_that_others_cover"),
    ]

    operations = [
        migrations.AlterField(
            model_name="extraction",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="extractions",
                to="runs.run",
            ),
        ),
    ]
