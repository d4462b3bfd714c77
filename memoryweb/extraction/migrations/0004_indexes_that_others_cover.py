import django.db.models.deletion
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0006_indexes_that_others_cover"),
        ("extraction", "0003_window_set_aside"),
    ]

    operations = [
        WithoutIndex(
            model_name="extraction",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="extractions",
                to="conversations.conversation",
            ),
        ),
    ]
