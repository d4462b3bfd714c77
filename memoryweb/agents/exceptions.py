class OwnerUnknown(LookupError):
    """No owner of this team is called so."""


class OwnerAmbiguous(LookupError):
    """A bare `api:<endUserId>` that several integrations use; the message lists them."""


class OwnerRefused(ValueError):
    """An identity that no owner may have; the message says why."""
