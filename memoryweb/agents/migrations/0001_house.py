import datetime
import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables

GLOBAL_AGENT_ID = uuid.UUID("6d656d6f-7279-5765-8000-676c6f62616c")


def create_global_agent(apps, schema_editor):
    alias = schema_editor.connection.alias
    team = apps.get_model("accounts", "Team").objects.using(alias).get(is_system=True)
    apps.get_model("agents", "Agent")._base_manager.using(alias).get_or_create(
        pk=GLOBAL_AGENT_ID,
        defaults={
            "team": team,
            "name": "global",
            "folded_name": "global",
            "is_global": True,
            "dreaming": False,
            "auto_summarize": False,
        },
    )


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("agents", "0001_initial"),
        ("agents", "0002_one_time_code"),
        ("agents", "0003_global_agent"),
        ("agents", "0004_plain_words"),
        ("agents", "0005_counts_accepted_changes"),
        ("agents", "0006_link_without_integration"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Owner',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('source', memoryweb.core.tables.PlainCharField(max_length=80)),
                ('external_id', memoryweb.core.tables.ErasableCharField(max_length=255)),
                ('paused', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('integration', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='owners', to='accounts.integration')),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='owners', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='owners', to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'source', 'external_id'), name='agents_owner_identity')],
            },
        ),
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', memoryweb.core.tables.PlainCharField(max_length=64, verbose_name='name')),
                ('folded_name', memoryweb.core.tables.PlainCharField(editable=False, max_length=64)),
                ('description', memoryweb.core.tables.PlainTextField(blank=True, max_length=500, verbose_name='description')),
                ('time_zone', memoryweb.core.tables.PlainCharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('dream_at', models.TimeField(default=datetime.time(2, 0), verbose_name='dreams at')),
                ('dreaming', models.BooleanField(default=True, verbose_name='dreams every night')),
                ('next_dream_at', models.DateTimeField(db_index=True, null=True)),
                ('auto_summarize', models.BooleanField(default=True, verbose_name='extracts after conversations')),
                ('owner_isolation', models.BooleanField(default=True, verbose_name="keeps each person's memory separate")),
                ('policy', models.CharField(choices=[('apply', 'Apply changes'), ('review', 'Ask a person first')], default='apply', max_length=8, verbose_name='machine changes')),
                ('consolidator', models.CharField(choices=[('auto', 'The model when one is configured, else the rules'), ('rules', 'The rules, never a model'), ('model', 'The model')], default='auto', max_length=8, verbose_name='what writes the dreams')),
                ('is_global', models.BooleanField(default=False)),
                ('accepted_changes', models.IntegerField(default=0, help_text='of shared memory, by people, since SOUL.md was last looked at')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='agents', to='accounts.team')),
            ],
            options={
                'ordering': ['folded_name'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('archived_at', None)), fields=('team', 'folded_name'), name='agents_agent_name')],
            },
        ),
        migrations.CreateModel(
            name='OneTimeCode',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('purpose', models.CharField(choices=[('link', 'Link to an account'), ('visit', 'Open My memory')], max_length=8)),
                ('sha256', memoryweb.core.tables.PlainCharField(max_length=64, unique=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('integration', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.integration')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('used_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='one_time_codes', to='agents.owner')),
            ],
            options={
                'indexes': [models.Index(fields=['team', 'owner', '-created_at'], name='agents_one_time_code')],
            },
        ),
        migrations.CreateModel(
            name='BreakGlass',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('reason', memoryweb.core.tables.PlainTextField(max_length=500, verbose_name='reason')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='break_glass', to='agents.owner')),
            ],
            options={
                'indexes': [models.Index(fields=['team', 'owner', 'user', 'expires_at'], name='agents_break_glass')],
            },
        ),
        migrations.RunPython(create_global_agent, migrations.RunPython.noop),
    ]
