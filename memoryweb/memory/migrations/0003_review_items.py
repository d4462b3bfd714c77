import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_house'),
        ('agents', '0001_house'),
        ('memory', '0002_content_types'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ReviewItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('proposal', 'Proposals'), ('flag', 'Flagged lines'), ('secret', 'Likely secrets'), ('contradiction', 'Contradictions'), ('crowded', 'Little room'), ('forget', 'Requests to forget')], max_length=13)),
                ('since', models.DateTimeField()),
                ('state', models.CharField(choices=[('open', 'Open'), ('decided', 'Decided'), ('expired', 'Expired')], default='open', max_length=7)),
                ('decided_at', models.DateTimeField(null=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.agent')),
                ('contradiction', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='item', to='memory.contradiction')),
                ('crowded', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='item', to='memory.crowdedfile')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('file', models.ForeignKey(help_text='of a flagged line', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.file')),
                ('origin', models.OneToOneField(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='item', to='memory.lineorigin')),
                ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='agents.owner')),
                ('proposal', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='item', to='memory.proposal')),
                ('request', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='item', to='memory.forgetrequest')),
                ('secret', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='item', to='memory.heldsecret')),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
            ],
            options={
                'db_table': 'memory_reviewitem',
                'indexes': [models.Index(fields=['team', 'state', '-since'], name='memory_item_waits'), models.Index(fields=['team', '-decided_at'], name='memory_item_decided')],
            },
        ),
    ]
