from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0003_vectors'),
    ]

    operations = [
        migrations.AlterField(
            model_name='run',
            name='kind',
            field=models.CharField(choices=[('extraction', 'Reading conversations'), ('dream', 'Dream'), ('secret_scan', 'Look for secrets'), ('erasure', 'Erase what is forgotten'), ('preview', 'Preview of a dream'), ('import', 'Import of conversations'), ('statements', 'Statements that a program sent'), ('vectors', 'Vectors for search by meaning')], max_length=12),
        ),
    ]
