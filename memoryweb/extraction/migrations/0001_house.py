import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("extraction", "0001_initial"),
        ("extraction", "0002_conversation_of_revisions"),
        ("extraction", "0003_window_set_aside"),
        ("extraction", "0004_indexes_that_others_cover"),
        ("extraction", "0005_runs_that_are_cited_stay"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
        ('memory', '0001_house'),
        ('runs', '0001_house'),
    ]

    operations = [
        migrations.CreateModel(
            name='Extraction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first', models.IntegerField(help_text='position of the first message')),
                ('last', models.IntegerField(help_text='position of the last message')),
                ('status', models.CharField(choices=[('answered', 'Answered'), ('applied', 'Applied'), ('nothing', 'Nothing to keep'), ('failed', 'Failed'), ('aside', 'Set aside')], max_length=8)),
                ('extractor', memoryweb.core.tables.PlainCharField(max_length=8)),
                ('model', memoryweb.core.tables.PlainCharField(blank=True, max_length=120)),
                ('answer', memoryweb.core.tables.ErasableJSONField(default=dict)),
                ('reason', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('written', memoryweb.core.tables.PlainJSONField(default=list, help_text='[{file, revision, first, last}] of lines that were written')),
                ('retry_at', models.DateTimeField(help_text='failed for what was said, and not to be asked again before', null=True)),
                ('tokens_in', models.BigIntegerField(default=0)),
                ('tokens_out', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('conversation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='extractions', to='memory.conversation')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='extractions', to='runs.run')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('conversation', 'first', 'run'), name='extraction_window_once')],
            },
        ),
    ]
