import django.db.models.deletion
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("agents", "0003_global_agent"),
        ("conversations", "0006_indexes_that_others_cover"),
        ("recall", "0004_search_index"),
        ("workspace", "0013_indexes_that_others_cover"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="passage",
            name="recall_passage_reach",
        ),
        WithoutIndex(
            model_name="injectedspan",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="injection",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="passage",
            name="agent",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="agents.agent",
            ),
        ),
        WithoutIndex(
            model_name="passage",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="conversations.conversation",
            ),
        ),
        WithoutIndex(
            model_name="passage",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="passages",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="passage",
            name="owner",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="agents.owner",
            ),
        ),
        WithoutIndex(
            model_name="passage",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="recallevent",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="conversations.conversation",
            ),
        ),
        WithoutIndex(
            model_name="recallevent",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=models.Index(fields=["agent", "owner"], name="recall_passage_of_owner"),
        ),
    ]
