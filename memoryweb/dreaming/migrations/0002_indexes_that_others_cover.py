import django.db.models.deletion
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("dreaming", "0001_initial"),
    ]

    operations = [
        WithoutIndex(
            model_name="candidate",
            name="report",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="candidates",
                to="dreaming.report",
            ),
        ),
        WithoutIndex(
            model_name="candidate",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="report",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
    ]
