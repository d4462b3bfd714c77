import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("dreaming", "0001_initial"),
        ("dreaming", "0002_indexes_that_others_cover"),
        ("dreaming", "0003_operations"),
        ("dreaming", "0004_reports_told_by_operations"),
        ("dreaming", "0005_plain_words"),
        ("dreaming", "0006_who_has_seen"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
        ('agents', '0001_house'),
        ('memory', '0001_house'),
        ('runs', '0001_house'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('dreamt_at', models.DateTimeField(help_text="the run's clock")),
                ('notes', models.IntegerField(default=0)),
                ('blocks', models.IntegerField(default=0)),
                ('promoted', models.IntegerField(default=0)),
                ('kept', models.IntegerField(default=0)),
                ('rejected', models.IntegerField(default=0)),
                ('diary', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('changes', memoryweb.core.tables.PlainJSONField(default=list, help_text='[{file, path, before, after}] revisions')),
                ('fingerprint', memoryweb.core.tables.PlainCharField(blank=True, help_text='of inputs and result', max_length=64)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='agents.agent')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='agents.owner')),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report', to='runs.run')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
            ],
            options={
                'indexes': [models.Index(fields=['team', 'agent', '-dreamt_at'], name='dreaming_report_latest')],
            },
        ),
        migrations.CreateModel(
            name='Seen',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.owner')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('user__isnull', False)), fields=('agent', 'user'), name='dreaming_seen_user'), models.UniqueConstraint(condition=models.Q(('owner__isnull', False)), fields=('agent', 'owner'), name='dreaming_seen_owner')],
            },
        ),
        migrations.CreateModel(
            name='Operation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.IntegerField()),
                ('does', memoryweb.core.tables.PlainCharField(max_length=8)),
                ('why', memoryweb.core.tables.PlainCharField(blank=True, help_text='why statements left', max_length=10)),
                ('code', memoryweb.core.tables.PlainCharField(blank=True, max_length=24)),
                ('values', memoryweb.core.tables.PlainJSONField(default=dict)),
                ('waits', memoryweb.core.tables.PlainCharField(blank=True, max_length=8)),
                ('before', memoryweb.core.tables.ErasableJSONField(default=list, help_text='texts of the statements that left')),
                ('after', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('against', memoryweb.core.tables.ErasableTextField(blank=True, help_text='what stands against it')),
                ('sources', memoryweb.core.tables.PlainJSONField(default=list, help_text='[{file, path, revision, line}]')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='operations', to='dreaming.report')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('report', 'position'), name='dreaming_operation_once')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', memoryweb.core.tables.PlainCharField(max_length=64)),
                ('text', memoryweb.core.tables.ErasableTextField()),
                ('path', memoryweb.core.tables.ErasableCharField(max_length=256)),
                ('line', models.IntegerField()),
                ('sources', memoryweb.core.tables.PlainJSONField(default=list, help_text='[{file, path, revision, line}]')),
                ('score', models.FloatField()),
                ('components', memoryweb.core.tables.PlainJSONField(default=dict)),
                ('gates', memoryweb.core.tables.PlainJSONField(default=list, help_text='[{name, passed, detail}]')),
                ('verdict', models.CharField(choices=[('promoted', 'Added'), ('kept', 'Kept for later'), ('rejected', 'Not kept')], max_length=8)),
                ('reason', memoryweb.core.tables.PlainCharField(blank=True, max_length=300)),
                ('memory_line', models.IntegerField(help_text='where it stands in MEMORY.md', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('file', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.file')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='dreaming.report')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('report', 'key'), name='dreaming_candidate_once')],
            },
        ),
    ]
