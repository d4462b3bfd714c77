import datetime
import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("runs", "0001_initial"),
        ("runs", "0002_beats"),
        ("runs", "0003_secret_scan"),
        ("runs", "0004_reverted"),
        ("runs", "0005_turns"),
        ("runs", "0006_turns_of_waiting_runs"),
        ("runs", "0007_turns_in_order"),
        ("runs", "0008_indexes_that_others_cover"),
        ("runs", "0009_backfill"),
        ("runs", "0010_phases_in_plain_words"),
        ("runs", "0011_erasure"),
        ("runs", "0012_preview"),
        ("runs", "0013_import_runs"),
        ("runs", "0014_statements"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
        ('agents', '0001_house'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Beat',
            fields=[
                ('name', memoryweb.core.tables.PlainCharField(max_length=32, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('extraction', 'Extraction'), ('dream', 'Dream'), ('secret_scan', 'Look for secrets'), ('erasure', 'Erase what is forgotten'), ('preview', 'Preview of a dream'), ('import', 'Import of conversations'), ('statements', 'Statements that a program sent')], max_length=12)),
                ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('succeeded', 'Succeeded'), ('no_change', 'No change'), ('skipped', 'Skipped'), ('failed', 'Failed'), ('needs_review', 'Needs review')], default='queued', max_length=12)),
                ('reason', memoryweb.core.tables.PlainCharField(blank=True, help_text='a code of the outcome', max_length=64)),
                ('phase', models.CharField(blank=True, choices=[('', 'Not started'), ('claimed', 'Picked up'), ('inputs', 'Input read'), ('answer', 'Answered'), ('checked', 'Checked'), ('applied', 'Saved'), ('reported', 'Reported')], default='', max_length=8)),
                ('attempts', models.IntegerField(default=0)),
                ('fence', models.BigIntegerField(default=0)),
                ('lease_until', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('due_at', models.DateTimeField(help_text='not before; null once finished', null=True)),
                ('turn_at', models.DateTimeField(default=datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.UTC), help_text='when its agent, owner and kind last had their turn')),
                ('trigger', models.CharField(choices=[('cron', 'Schedule'), ('person', 'Person'), ('api', 'API'), ('command', 'Command'), ('conversation', 'Conversation'), ('backfill', 'Backfill')], max_length=12)),
                ('night', models.DateField(help_text='local date of a nightly dream', null=True)),
                ('clock', models.DateTimeField(help_text='the moment a simulated run takes for now', null=True)),
                ('topic', memoryweb.core.tables.ErasableCharField(blank=True, max_length=200)),
                ('inputs', memoryweb.core.tables.ErasableJSONField(blank=True, default=dict)),
                ('answer', memoryweb.core.tables.ErasableJSONField(blank=True, null=True)),
                ('checked', memoryweb.core.tables.ErasableJSONField(blank=True, null=True)),
                ('result', memoryweb.core.tables.ErasableJSONField(blank=True, default=dict)),
                ('error', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('consolidator', memoryweb.core.tables.PlainCharField(blank=True, max_length=8)),
                ('model', memoryweb.core.tables.PlainCharField(blank=True, max_length=120)),
                ('tokens_in', models.BigIntegerField(default=0)),
                ('tokens_out', models.BigIntegerField(default=0)),
                ('cost_micros', models.BigIntegerField(default=0, help_text='millionths of a currency unit')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('reverted_at', models.DateTimeField(help_text='a person took back what it wrote', null=True)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='agents.agent')),
                ('integration', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.integration')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='agents.owner')),
                ('reverted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='accounts.team')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['status', 'due_at'], name='runs_claimable'), models.Index(condition=models.Q(('due_at__isnull', False)), fields=['team', 'turn_at', 'due_at', 'id'], name='runs_turns'), models.Index(fields=['team', 'status'], name='runs_team_status'), models.Index(fields=['team', 'agent', 'kind', '-created_at'], name='runs_agent_latest'), models.Index(fields=['agent', 'owner', 'kind', 'finished_at'], name='runs_finished')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('night__isnull', False), ('owner', None)), fields=('agent', 'kind', 'night'), name='runs_night_shared'), models.UniqueConstraint(condition=models.Q(('night__isnull', False), ('owner__isnull', False)), fields=('agent', 'owner', 'kind', 'night'), name='runs_night_owner'), models.UniqueConstraint(condition=models.Q(models.Q(('status__in', ['queued', 'running']), models.Q(('due_at__isnull', False), ('status', 'failed')), _connector='OR'), ('night', None), ('owner', None)), fields=('agent', 'kind'), name='runs_one_active_shared'), models.UniqueConstraint(condition=models.Q(models.Q(('status__in', ['queued', 'running']), models.Q(('due_at__isnull', False), ('status', 'failed')), _connector='OR'), ('night', None), ('owner__isnull', False)), fields=('agent', 'owner', 'kind'), name='runs_one_active_owner')],
            },
        ),
    ]
