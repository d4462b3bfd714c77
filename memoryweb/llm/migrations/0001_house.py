from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("llm", "0001_initial"),
        ("llm", "0002_team_model"),
        ("llm", "0003_money_of_the_day"),
        ("llm", "0004_chat_usage"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='TeamModel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField(unique=True)),
                ('choice', models.CharField(choices=[('none', 'No model: rules do the work'), ('installation', "The installation's model"), ('own', "The team's own model")], default='installation', max_length=12)),
                ('provider', models.CharField(choices=[('openai', 'OpenAI, or any server that speaks its format'), ('anthropic', 'Anthropic')], default='openai', max_length=12)),
                ('base_url', memoryweb.core.tables.PlainCharField(blank=True, help_text='empty: no model of its own', max_length=255)),
                ('model', memoryweb.core.tables.PlainCharField(blank=True, max_length=120)),
                ('sealed_key', models.BinaryField(default=bytes, help_text='encrypted; empty: none')),
                ('price_in', models.FloatField(default=0, help_text='currency units a million tokens')),
                ('price_out', models.FloatField(default=0)),
                ('daily_micros', models.BigIntegerField(help_text='of its currency; null: no limit', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Breaker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField()),
                ('endpoint', memoryweb.core.tables.PlainCharField(max_length=255)),
                ('failures', models.IntegerField(default=0)),
                ('open_until', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'endpoint'), name='llm_breaker_endpoint')],
            },
        ),
        migrations.CreateModel(
            name='ChatUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField()),
                ('agent_id', models.UUIDField()),
                ('day', models.DateField()),
                ('asked', models.IntegerField(default=0)),
                ('used_in', models.BigIntegerField(default=0)),
                ('used_out', models.BigIntegerField(default=0)),
                ('cost_micros', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'agent_id', 'day'), name='llm_chat_usage_day')],
            },
        ),
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField()),
                ('day', models.DateField()),
                ('reserved', models.BigIntegerField(default=0)),
                ('used_in', models.BigIntegerField(default=0)),
                ('used_out', models.BigIntegerField(default=0)),
                ('reserved_micros', models.BigIntegerField(default=0)),
                ('cost_micros', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team_id', 'day'), name='llm_usage_day')],
            },
        ),
    ]
