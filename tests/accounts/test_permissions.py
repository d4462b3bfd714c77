from itertools import product

from memoryweb.accounts.permissions import Permission, Role, can
from tests.tables import every_row

# One row a permission: viewer, member, admin, auditor (SPEC: people, teams, roles).
TRUTH = {
    Permission.READ: (True, True, True, True),
    Permission.EXPORT: (True, True, True, True),
    Permission.WRITE: (False, True, True, False),
    Permission.IMPORT: (False, True, True, False),
    Permission.DREAM: (False, True, True, False),
    Permission.DECIDE: (False, True, True, False),
    Permission.MANAGE_AGENTS: (False, False, True, False),
    Permission.MANAGE_MEMBERS: (False, False, True, False),
    Permission.MANAGE_TOKENS: (False, False, True, False),
    Permission.SEE_MEMBERS: (False, False, True, True),
    Permission.SEE_TOKENS: (False, False, True, True),
    Permission.SEE_OWNERS: (False, False, True, True),
    Permission.SEE_AUDIT: (False, False, True, True),
    Permission.PACK_EVIDENCE: (False, False, False, True),
    Permission.BREAK_GLASS: (False, False, True, True),
    Permission.FORGET: (False, False, True, False),
    Permission.EXPORT_OWNERS: (False, False, True, False),
}
ROLES = (Role.VIEWER, Role.MEMBER, Role.ADMIN, Role.AUDITOR)


def test_the_table_speaks_of_every_permission_and_role() -> None:
    assert set(TRUTH) == set(Permission)
    assert set(ROLES) == set(Role)


@every_row(product(Role, Permission))
def test_a_role_may_what_the_table_says(role: Role, permission: Permission) -> None:
    assert can(role, permission) == TRUTH[permission][ROLES.index(role)]


@every_row(product([None, "", "owner", "ADMIN"], Permission))
def test_no_known_role_may_nothing(role: str | None, permission: Permission) -> None:
    assert not can(role, permission)


def test_a_role_may_be_given_by_its_stored_name() -> None:
    assert can("viewer", Permission.READ)
