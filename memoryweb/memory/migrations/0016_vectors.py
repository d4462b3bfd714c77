
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_reports_days'),
        ('agents', '0004_local_models'),
        ('memory', '0015_receipt_in_ledger'),
    ]

    operations = [
        migrations.AddField(
            model_name='passage',
            name='space',
            field=models.BigIntegerField(help_text='of which endpoint, model and dimension', null=True),
        ),
        migrations.AddField(
            model_name='passage',
            name='vector',
            field=models.BinaryField(help_text='see index.nearness', null=True),
        ),
        migrations.AddIndex(
            model_name='passage',
            index=models.Index(condition=models.Q(('space__isnull', False)), fields=['space', 'reach'], name='recall_passage_vector'),
        ),
    ]
