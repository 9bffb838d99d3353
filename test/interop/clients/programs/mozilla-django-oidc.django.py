from application import client_id, client_secret, issuer, said
from django_site import configure, home, run

configure(
    ["mozilla_django_oidc"],
    backends=["__main__.Backend"],
    OIDC_RP_CLIENT_ID=client_id,
    OIDC_RP_CLIENT_SECRET=client_secret,
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{issuer}/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{issuer}/token",
    OIDC_OP_USER_ENDPOINT=f"{issuer}/userinfo",
    OIDC_OP_JWKS_ENDPOINT=f"{issuer}/.well-known/jwks.json",
    **said,
)

from django.urls import include, path  # noqa: E402, after the settings
from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402


class Backend(OIDCAuthenticationBackend):
    """Stores the name as in the documentation, because the library leaves that to the application."""

    def create_user(self, claims):
        user = super().create_user(claims)
        user.first_name = claims.get("given_name", "")
        user.last_name = claims.get("family_name", "")
        user.save()
        return user


urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]

run("/oidc/authenticate/")
