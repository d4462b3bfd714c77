from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

OLD = {
    "memory": {
        "conversations": ["conversation", "marker", "message"],
        "entries": ["alias", "entry"],
        "facts": ["contradiction", "evidence", "fact", "vote"],
        "forgetting": ["legalhold", "receipt", "request", "target", "tombstone"],
        "provenance": ["keptline", "lineorigin", "pastorigin"],
        "recall": ["injectedspan", "injection", "passage", "recallevent"],
        "review": ["crowdedfile", "heldsecret", "proposal"],
        "snapshots": ["upload"],
        "workspace": ["file", "import", "revision"],
    },
    "notify": {"notices": ["mailnotice"], "webhooks": ["delivery", "endpoint"]},
}
RENAMED = {"request": "forgetrequest"}


def move(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """To the apps that have the models now, with their permissions. What is left over, of a model
    that had moved before, goes."""
    rows = apps.get_model("contenttypes", "ContentType").objects
    for new, old in OLD.items():
        for label, names in old.items():
            for name in names:
                _rename(apps, (label, name), (new, RENAMED.get(name, name)))
        rows.filter(app_label__in=old).delete()


def move_back(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    for new, old in OLD.items():
        for label, names in old.items():
            for name in names:
                _rename(apps, (new, RENAMED.get(name, name)), (label, name))


def _rename(apps: Apps, old: tuple[str, str], new: tuple[str, str]) -> None:
    """Where the new one is there already, permissions that were given are given of that one."""
    rows = apps.get_model("contenttypes", "ContentType").objects
    before = rows.filter(app_label=old[0], model=old[1])
    there = rows.filter(app_label=new[0], model=new[1]).first()
    permissions = apps.get_model("auth", "Permission").objects
    for permission in permissions.filter(content_type__in=before):
        permission.codename = permission.codename.replace(old[1], new[1])
        permission.save()
    if there is None:
        before.update(app_label=new[0], model=new[1])
        return
    for permission in permissions.filter(content_type__in=before):
        same = permissions.filter(content_type=there, codename=permission.codename).first()
        if same is None:
            permission.content_type = there
            permission.save()
            continue
        same.group_set.add(*permission.group_set.all())
        same.user_set.add(*permission.user_set.all())
    before.delete()


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0001_house"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(move, move_back)]
