from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('dreaming', '0001_house'),
    ]

    operations = [
        migrations.AlterField(
            model_name='candidate',
            name='verdict',
            field=models.CharField(choices=[('promoted', 'Learned'), ('kept', 'Waits a day'), ('rejected', 'Skipped')], max_length=8),
        ),
    ]
