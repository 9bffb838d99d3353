from application import client_id, client_secret, issuer
from django_site import configure, home, run

configure(
    [
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ],
    backends=["allauth.account.auth_backends.AuthenticationBackend"],
    middleware=["allauth.account.middleware.AccountMiddleware"],
    SOCIALACCOUNT_PROVIDERS={
        "openid_connect": {
            "APPS": [
                {
                    "provider_id": "test-idp",
                    "name": "test-idp",
                    "client_id": client_id,
                    "secret": client_secret,
                    "settings": {"server_url": issuer},
                }
            ]
        }
    },
)

from django.urls import include, path  # noqa: E402, after the settings

urlpatterns = [path("", home), path("accounts/", include("allauth.urls"))]

run("/accounts/oidc/test-idp/login/")
