import django.db.models.deletion
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("agents", "0003_global_agent"),
        ("runs", "0007_turns_in_order"),
    ]

    operations = [
        WithoutIndex(
            model_name="run",
            name="agent",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="agents.agent",
            ),
        ),
        WithoutIndex(
            model_name="run",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="runs",
                to="accounts.team",
            ),
        ),
    ]
