from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_end_held_secrets")]

    operations = [
        migrations.RemoveField(model_name="reviewitem", name="secret"),
        migrations.AlterField(
            model_name="reviewitem",
            name="kind",
            field=models.CharField(choices=[("proposal", "Proposals"), ("flag", "Flagged lines"), ("contradiction", "Contradictions"), ("crowded", "Little room"), ("forget", "Requests to forget")], max_length=13),
        ),
        migrations.DeleteModel(name="HeldSecret"),
    ]
