from django.db import migrations, models

KINDS = [
    ("extraction", "Reading conversations"),
    ("dream", "Dream"),
    ("secret_scan", "Look for secrets"),
    ("erasure", "Erase what is forgotten"),
    ("preview", "Preview of a dream"),
    ("import", "Import of conversations"),
    ("statements", "Statements that a program sent"),
    ("vectors", "Vectors for search by meaning"),
    ("journal", "Journal after a turn"),
]


class Migration(migrations.Migration):
    dependencies = [("runs", "0003_vectors")]

    operations = [
        migrations.AlterField("run", "kind", models.CharField(choices=KINDS, max_length=12)),
    ]
